/** What a thing in the file system can be. */
export type FileKind = 'file' | 'directory' | 'symlink' | 'fifo' | 'socket' | 'block-device' | 'character-device'
