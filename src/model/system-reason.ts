export function systemReason(error: unknown): string {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
  return REASONS[code] ?? (error instanceof Error ? error.message : String(error))
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  ENOENT: 'no such file or directory',
  ENOTDIR: 'a part of the path is not a directory',
  EEXIST: 'a part of the path is not a directory',
  EISDIR: 'it is a directory',
  EROFS: 'the file system is read-only',
  ENXIO: 'no process reads the pipe',
  ENOSPC: 'no space left on the device',
  EDQUOT: 'the disk quota is used up',
  ENAMETOOLONG: 'the name is too long',
  EBADF: 'it is not open for writing',
  ELOOP: 'too many levels of symbolic links',
}
