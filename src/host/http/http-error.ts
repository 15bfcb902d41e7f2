/** A failed download. The message contains no credentials. `isTransient`: a retry may succeed; `isTimeout`: it took too long. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly isTransient: boolean
  readonly isTimeout: boolean

  constructor(
    message: string,
    { isTransient = false, isTimeout = false }: { readonly isTransient?: boolean; readonly isTimeout?: boolean } = {},
  ) {
    super(message)
    this.isTransient = isTransient
    this.isTimeout = isTimeout
  }
}

/** A URL for messages: without user, password, query and fragment, all of which may contain secrets. */
export function showUrl({ protocol, host, pathname, search }: URL): string {
  return `${protocol}//${host}${pathname}${search === '' ? '' : '?…'}`
}
