/** Fields of /proc/[pid]/stat. */
export interface ProcessStat {
  readonly command: string
  /** Whether it is a zombie or about to become one. */
  readonly hasEnded: boolean
  readonly parentPid: number
  readonly isKernelThread: boolean
  readonly threads: number
  readonly startTicks: number
}

/** @see linux/sched.h, PF_KTHREAD */
const KERNEL_THREAD = 0x0020_0000

/** Field indexes after the name. @see proc(5), /proc/[pid]/stat */
const FIELD = { state: 0, parentPid: 1, flags: 6, threads: 17, startTicks: 19 } as const

/** Parses /proc/[pid]/stat. The name may contain parentheses and line feeds, so it ends at the last parenthesis. */
export function parseStat(text: string): ProcessStat | undefined {
  const start = text.indexOf('(')
  const end = text.lastIndexOf(')')
  if (start === -1 || end < start) return undefined
  const fields = text
    .slice(end + 1)
    .trim()
    .split(' ')
  const [parentPid, flags, threads, startTicks] = [FIELD.parentPid, FIELD.flags, FIELD.threads, FIELD.startTicks].map(
    (index) => Number(fields[index]),
  )
  const state = fields[FIELD.state]
  if (parentPid === undefined || flags === undefined || threads === undefined || startTicks === undefined)
    return undefined
  if (![parentPid, flags, threads, startTicks].every(Number.isSafeInteger) || state === undefined) return undefined
  return {
    command: text.slice(start + 1, end),
    hasEnded: 'ZXx'.includes(state),
    parentPid,
    isKernelThread: Math.floor(flags / KERNEL_THREAD) % 2 === 1,
    threads,
    startTicks,
  }
}

/** Real and effective uid from /proc/[pid]/status. */
export function parseUids(text: string): { readonly real: number; readonly effective: number } | undefined {
  const [, real, effective] = /^Uid:\t(\d+)\t(\d+)\t/m.exec(text) ?? []
  return real === undefined || effective === undefined
    ? undefined
    : { real: Number(real), effective: Number(effective) }
}
