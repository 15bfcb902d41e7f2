import type { MachineFiles } from '../live/machine-files.ts'

/** Files as they are at boot: /run is empty, so leftovers in it do not affect the configuration. */
export function filesAtRest(files: MachineFiles): MachineFiles {
  return {
    lstat: (path) => (isOfStart(path) ? undefined : files.lstat(path)),
    // The tmpfs mounted there has the attributes of a root directory.
    stat: (path) => (isOfStart(path) ? undefined : files.stat(isRun(path) ? '/' : path)),
    names: (path) => (isRun(path) ? [] : files.names(unlessOfStart(path))),
    entries: (path) => (isRun(path) ? [] : files.entries(unlessOfStart(path))),
    whole: (path, maxBytes) => files.whole(unlessOfStart(path), maxBytes),
    link: (path) => files.link(unlessOfStart(path)),
  }
}

function isRun(path: string): boolean {
  return /^\/(?:var\/)?run\/?$/.test(path)
}

function isOfStart(path: string): boolean {
  return /^\/(?:var\/)?run\/[^/]/.test(path)
}

function unlessOfStart(path: string): string {
  if (isOfStart(path)) throw Object.assign(new Error('does not exist at boot'), { code: 'ENOENT', errno: -2 })
  return path
}
