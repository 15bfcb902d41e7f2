/**
 * Imports a module by its URL. The built command keeps this in a file of its own, because code that V8 takes from a cache
 * does not know how modules are imported.
 */
export function dynamicImport(url: string): Promise<unknown> {
  return import(url)
}
