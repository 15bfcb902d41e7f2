import type { FileKind } from '../../target/target.ts'

/** What each kind of thing is called. */
export const KIND_WORDS: Readonly<Record<FileKind, string>> = {
  file: 'file',
  directory: 'directory',
  symlink: 'symlink',
  fifo: 'fifo',
  socket: 'socket',
  'block-device': 'block device',
  'character-device': 'character device',
}

/** What `ensure` is called where a file has to be there: a file is `present`. */
export function ensureWord(kind: FileKind): string {
  return kind === 'file' ? 'present' : KIND_WORDS[kind]
}

/** What is said of something that is in the way. */
export function conflict(path: string, kind: FileKind, wanted: string): string {
  return `${path} exists as a ${KIND_WORDS[kind]}; cannot manage it as ${wanted}`
}
