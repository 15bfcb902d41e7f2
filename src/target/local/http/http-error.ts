/** A download that failed. The message names no credentials; `isTransient`: trying again may help. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly isTransient: boolean

  constructor(message: string, { isTransient = false }: { readonly isTransient?: boolean } = {}) {
    super(message)
    this.isTransient = isTransient
  }
}

/** A URL as messages may show it: without user, password, query and fragment, which all may hold secrets. */
export function showUrl({ protocol, host, pathname, search }: URL): string {
  return `${protocol}//${host}${pathname}${search === '' ? '' : '?…'}`
}
