import { isBundle } from '../fetch/remote.ts'
import { whoCanChange } from '../target/local/who-can-change.ts'

/**
 * What root should know before it runs files again and again that others can change: policies name commands. One
 * sentence for each of these paths.
 */
export function changeableByOthers(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => {
    const reason = isBundle(path) ? undefined : reasonOf(path)
    return reason === undefined ? [] : [`${path} is run as root, but ${reason}`]
  })
}

function reasonOf(path: string): string | undefined {
  try {
    return whoCanChange(path)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
