/** The capabilities of an executable file. @see capabilities(7) */
export interface Capabilities {
  /** Bit sets, numbered as in linux/capability.h. */
  readonly permitted: bigint
  readonly inheritable: bigint
  /** Whether the permitted capabilities are effective at once. */
  readonly effective: boolean
  /** The root user id of the user namespace in which they are valid; undefined if they are valid everywhere. */
  readonly rootId: number | undefined
}

/** Indexed by number. @see linux/capability.h */
const NAMES =
  'chown dac_override dac_read_search fowner fsetid kill setgid setuid setpcap linux_immutable net_bind_service net_broadcast net_admin net_raw ipc_lock ipc_owner sys_module sys_rawio sys_chroot sys_ptrace sys_pacct sys_admin sys_boot sys_nice sys_resource sys_time sys_tty_config mknod lease audit_write audit_control setfcap mac_override mac_admin syslog wake_alarm block_suspend audit_read perfmon bpf checkpoint_restore'
    .split(' ')
    .map((name) => `cap_${name}`)

const ALL = (1n << BigInt(NAMES.length)) - 1n

const REVISION_BITS = 0xff00_0000
const EFFECTIVE = 1
/** Length of the attribute by revision. @see linux/capability.h, struct vfs_cap_data */
const LENGTHS: ReadonlyMap<number, number> = new Map([
  [0x0100_0000, 12],
  [0x0200_0000, 20],
  [0x0300_0000, 24],
])
const LONGEST = 24

/** Decodes the extended attribute of a file; undefined if invalid. */
export function decodeCapabilities(bytes: Uint8Array): Capabilities | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const magic = bytes.length < 4 ? 0 : view.getUint32(0, true)
  const length = LENGTHS.get((magic & REVISION_BITS) >>> 0)
  if (length === undefined || length !== bytes.length) return undefined
  const word = (index: number): bigint => BigInt(4 + 4 * index < length ? view.getUint32(4 + 4 * index, true) : 0)
  const isWide = length > 12
  return {
    permitted: word(0) | (isWide ? word(2) << 32n : 0n),
    inheritable: word(1) | (isWide ? word(3) << 32n : 0n),
    effective: (magic & EFFECTIVE) !== 0,
    rootId: length === LONGEST ? view.getUint32(20, true) : undefined,
  }
}

/** Encodes the extended attribute of a file. */
export function encodeCapabilities({ permitted, inheritable, effective, rootId }: Capabilities): Uint8Array {
  const bytes = new Uint8Array(rootId === undefined ? 20 : LONGEST)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, (rootId === undefined ? 0x0200_0000 : 0x0300_0000) | (effective ? EFFECTIVE : 0), true)
  const low = (bits: bigint): number => Number(bits & 0xffff_ffffn)
  view.setUint32(4, low(permitted), true)
  view.setUint32(8, low(inheritable), true)
  view.setUint32(12, low(permitted >> 32n), true)
  view.setUint32(16, low(inheritable >> 32n), true)
  if (rootId !== undefined) view.setUint32(20, rootId, true)
  return bytes
}

/** Whether a program gets any capability. */
export function giveSomething({ permitted, inheritable }: Capabilities): boolean {
  return (permitted | inheritable) !== 0n
}

/** Formats capabilities as getcap(8) does, such as `cap_chown,cap_kill=ep cap_net_raw=i`. */
export function formatCapabilities({ permitted, inheritable, effective, rootId }: Capabilities): string {
  const groups: readonly (readonly [bigint, string])[] = [
    [permitted & inheritable, 'ip'],
    [permitted & ~inheritable, 'p'],
    [inheritable & ~permitted, 'i'],
  ]
  const clauses = groups.flatMap(([bits, flags]) =>
    bits === 0n ? [] : [`${namesOf(bits)}=${effective ? 'e' : ''}${flags}`],
  )
  const text = clauses.length === 0 ? '=' : clauses.join(' ')
  return rootId === undefined ? text : `${text} [rootid=${rootId}]`
}

function namesOf(bits: bigint): string {
  if (bits === ALL) return ''
  const names: string[] = []
  for (let number = 0; bits >> BigInt(number) !== 0n; number++) {
    if (((bits >> BigInt(number)) & 1n) === 1n) names.push(NAMES[number] ?? `cap_${number}`)
  }
  return names.join(',')
}

/** The word in a policy for no capabilities. */
export const NO_CAPABILITIES = 'none'

/** A clause without names applies to all capabilities and can only assign. */
const CLAUSE = /^(?:(?<names>[a-z0-9_,]+)(?<changes>(?:[=+-][eip]*)+)|(?<all>=[eip]*))$/

/**
 * Parses text of getcap(8) or setcap(8), with `none` for no capabilities; undefined if invalid, also for combinations
 * that no file can have, since effective is a single flag. @see cap_from_text(3)
 */
export function parseCapabilities(text: string): Capabilities | undefined {
  let sets = { e: 0n, i: 0n, p: 0n }
  const clauses = text.trim() === NO_CAPABILITIES ? [] : text.trim().toLowerCase().split(/\s+/)
  for (const clause of clauses) {
    const { names = 'all', all = '', changes = all } = CLAUSE.exec(clause)?.groups ?? {}
    const bits = bitsOf(names)
    if (bits === undefined || changes === '') return undefined
    for (const [, sign, flags = ''] of changes.matchAll(/([=+-])([eip]*)/g)) {
      const change = (set: bigint, flag: string): bigint => {
        if (flags.includes(flag)) return sign === '-' ? set & ~bits : set | bits
        return sign === '=' ? set & ~bits : set
      }
      sets = { e: change(sets.e, 'e'), i: change(sets.i, 'i'), p: change(sets.p, 'p') }
    }
  }
  const { e, i: inheritable, p: permitted } = sets
  if (e !== 0n && e !== (inheritable | permitted)) return undefined
  return { permitted, inheritable, effective: e !== 0n, rootId: undefined }
}

function bitsOf(names: string): bigint | undefined {
  if (names === 'all') return ALL
  let bits = 0n
  for (const name of names.split(',')) {
    const number = NAMES.indexOf(name)
    if (number < 0) return undefined
    bits |= 1n << BigInt(number)
  }
  return bits
}

/** Whether both give a program the same capabilities; undefined gives none. */
export function giveTheSame(left: Capabilities | undefined, right: Capabilities | undefined): boolean {
  const [one, other] = [left, right].map((each) => (each !== undefined && giveSomething(each) ? each : undefined))
  if (one === undefined || other === undefined) return one === other
  return (
    one.permitted === other.permitted &&
    one.inheritable === other.inheritable &&
    one.effective === other.effective &&
    one.rootId === other.rootId
  )
}
