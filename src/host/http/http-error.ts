/** A download that failed. The message names no credentials; `isTransient`: trying again may help; `isTimeout`: it took too long. */
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

/** A URL as messages may show it: without user, password, query and fragment, which all may hold secrets. */
export function showUrl({ protocol, host, pathname, search }: URL): string {
  return `${protocol}//${host}${pathname}${search === '' ? '' : '?…'}`
}
