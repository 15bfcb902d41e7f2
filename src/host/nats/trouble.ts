/** Why a connection fails: access denied, untrusted certificate, or no answer. */
export type ConnectTrouble = 'denied' | 'certificate' | 'away'

/** Classifies a connection error by its causes. */
export function troubleOf(error: unknown): ConnectTrouble {
  if (isAboutCertificate(error)) return 'certificate'
  return causeChain(error).some(({ name }) => name === 'AuthorizationError') ? 'denied' : 'away'
}

/** Whether the server closed the connection before any request. The client then reports a refused connection without a cause. */
export function wasEnded(error: unknown): boolean {
  return causeChain(error).some(
    (each) =>
      (each.name === 'ConnectionError' && each.cause === undefined) ||
      ('code' in each && (each.code === 'EPIPE' || each.code === 'ECONNRESET')),
  )
}

/** Whether an error is about the server's certificate. */
export function isAboutCertificate(error: unknown): boolean {
  return causeChain(error).some(
    (each) => 'code' in each && typeof each.code === 'string' && /CERT|SIGNATURE|ISSUER/.test(each.code),
  )
}

function causeChain(error: unknown): readonly Error[] {
  return error instanceof Error ? [error, ...causeChain(error.cause)] : []
}
