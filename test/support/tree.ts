import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Everything below a directory, by path: `<mode> <content>` of files (a digest of long ones), `-> target` of links, `<mode>/` of directories. */
export function readTree(root: string, path = ''): Record<string, string> {
  const tree: Record<string, string> = {}
  for (const name of readdirSync(join(root, path)).toSorted()) {
    const inside = path === '' ? name : `${path}/${name}`
    const full = join(root, inside)
    const stats = lstatSync(full)
    const mode = (stats.mode & 0o7777).toString(8)
    if (stats.isSymbolicLink()) tree[inside] = `-> ${readlinkSync(full)}`
    else if (stats.isDirectory())
      Object.assign(
        tree,
        { [inside]: `${mode}/` },
        whileOpen(full, stats.mode, () => readTree(root, inside)),
      )
    else if (stats.isFile()) tree[inside] = `${mode} ${whileOpen(full, stats.mode, () => contentOf(full))}`
    else tree[inside] = 'special'
  }
  return tree
}

/** Looks into what may keep even its owner out, and leaves its mode as it was. */
function whileOpen<T>(path: string, mode: number, look: () => T): T {
  const isOpen = (mode & 0o500) === 0o500
  if (!isOpen) chmodSync(path, mode | 0o500)
  const found = look()
  if (!isOpen) chmodSync(path, mode)
  return found
}

function contentOf(path: string): string {
  const content = readFileSync(path)
  return content.length > 100
    ? `sha256:${createHash('sha256').update(content).digest('hex')}`
    : content.toString('utf8')
}

/** The permission bits of a file, links followed. */
export function modeOf(path: string): number {
  return statSync(path).mode & 0o7777
}
