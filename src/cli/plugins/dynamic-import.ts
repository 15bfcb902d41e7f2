/** Imports a module by its URL. A separate file in the build, because code from V8's cache cannot import modules. */
export function dynamicImport(url: string): Promise<unknown> {
  return import(url)
}
