/** Why a server cannot be used: it does not let us in, we do not believe who it says it is, or it does not answer. */
export type ConnectTrouble = 'denied' | 'certificate' | 'away'

/** What is behind an error of connecting, or one that it caused. */
export function troubleOf(error: unknown): ConnectTrouble {
  if (isAboutCertificate(error)) return 'certificate'
  return causes(error).some(({ name }) => name === 'AuthorizationError') ? 'denied' : 'away'
}

/** Whether a server ended a connection before anything was asked. The client calls that refused, but then knows no cause. */
export function wasEnded(error: unknown): boolean {
  return causes(error).some(
    (each) =>
      (each.name === 'ConnectionError' && each.cause === undefined) ||
      ('code' in each && (each.code === 'EPIPE' || each.code === 'ECONNRESET')),
  )
}

/** Whether the certificate of a server is what is wrong. */
export function isAboutCertificate(error: unknown): boolean {
  return causes(error).some(
    (each) => 'code' in each && typeof each.code === 'string' && /CERT|SIGNATURE|ISSUER/.test(each.code),
  )
}

function causes(error: unknown): readonly Error[] {
  return error instanceof Error ? [error, ...causes(error.cause)] : []
}
