/** An entry of an access control list for one user or group. */
export interface NamedEntry {
  readonly kind: 'user' | 'group'
  readonly id: number
  /** 4 read, 2 write, 1 execute. */
  readonly bits: number
}

/** An access control list of Linux. Permissions are 4 read, 2 write, 1 execute. @see acl(5) */
export interface Acl {
  readonly owner: number
  readonly group: number
  readonly other: number
  /** Upper limit for named entries and the group. Undefined without named entries and without a limit on the group. */
  readonly mask: number | undefined
  readonly named: readonly NamedEntry[]
}

// The kernel requires the order of these numbers. @see linux/posix_acl.h
const USER_OBJ = 0x01
const USER = 0x02
const GROUP_OBJ = 0x04
const GROUP = 0x08
const MASK = 0x10
const OTHER = 0x20

const VERSION = 2
const HEADER_BYTES = 4
const ENTRY_BYTES = 8
const NO_ID = 0xffff_ffff

/** Decodes the extended attribute of an ACL; undefined if invalid. @see linux/posix_acl_xattr.h */
export function decodeAcl(bytes: Uint8Array): Acl | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const isWhole = bytes.length >= HEADER_BYTES && (bytes.length - HEADER_BYTES) % ENTRY_BYTES === 0
  if (!isWhole || view.getUint32(0, true) !== VERSION) return undefined
  const base = new Map<number, number>()
  const named: NamedEntry[] = []
  for (let at = HEADER_BYTES; at < bytes.length; at += ENTRY_BYTES) {
    const tag = view.getUint16(at, true)
    const bits = view.getUint16(at + 2, true)
    if (tag === USER || tag === GROUP) {
      named.push({ kind: tag === USER ? 'user' : 'group', id: view.getUint32(at + 4, true), bits })
    } else base.set(tag, bits)
  }
  const [owner, group, other] = [base.get(USER_OBJ), base.get(GROUP_OBJ), base.get(OTHER)]
  if (owner === undefined || group === undefined || other === undefined) return undefined
  return { owner, group, other, mask: base.get(MASK), named }
}

/** Encodes the extended attribute of an ACL. */
export function encodeAcl({ owner, group, other, mask, named }: Acl): Uint8Array {
  const ofKind = (kind: NamedEntry['kind'], tag: number): readonly (readonly [number, number, number])[] =>
    named
      .filter((entry) => entry.kind === kind)
      .toSorted((left, right) => left.id - right.id)
      .map(({ id, bits }) => [tag, bits, id] as const)
  const entries = [
    [USER_OBJ, owner, NO_ID] as const,
    ...ofKind('user', USER),
    [GROUP_OBJ, group, NO_ID] as const,
    ...ofKind('group', GROUP),
    ...(mask === undefined ? [] : [[MASK, mask, NO_ID] as const]),
    [OTHER, other, NO_ID] as const,
  ]
  const bytes = new Uint8Array(HEADER_BYTES + entries.length * ENTRY_BYTES)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, VERSION, true)
  for (const [index, [tag, bits, id]] of entries.entries()) {
    const at = HEADER_BYTES + index * ENTRY_BYTES
    view.setUint16(at, tag, true)
    view.setUint16(at + 2, bits, true)
    view.setUint32(at + 4, id, true)
  }
  return bytes
}

/** The effective permissions of a named entry: those that the mask allows. */
export function effectiveBits({ mask = 0o7 }: Acl, { bits }: NamedEntry): number {
  return bits & mask
}

/** The list with other named entries. Without any, the effective permissions of the group become its own. */
export function withNamed(acl: Acl, named: readonly NamedEntry[]): Acl {
  if (named.length > 0) return { ...acl, named }
  return { ...acl, group: acl.group & (acl.mask ?? 0o7), mask: undefined, named }
}
