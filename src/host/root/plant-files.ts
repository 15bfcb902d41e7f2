import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A file: its text, optionally with a mode; or a symbolic link. */
export type PlantedFile = string | { readonly text: string; readonly mode?: number } | { readonly linkTo: string }

/** Creates files below a root, by absolute path there, with their parent directories and /etc. */
export function plantFiles(root: string, files: Readonly<Record<string, PlantedFile>>): void {
  mkdirSync(join(root, 'etc'), { recursive: true })
  for (const [path, file] of Object.entries(files)) {
    const place = join(root, path)
    mkdirSync(dirname(place), { recursive: true })
    if (typeof file === 'object' && 'linkTo' in file) {
      symlinkSync(file.linkTo, place)
      continue
    }
    const { text, mode = 0o644 } = typeof file === 'string' ? { text: file } : file
    writeFileSync(place, text)
    chmodSync(place, mode)
  }
}
