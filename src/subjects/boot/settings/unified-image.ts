import { withBlanksOfC } from '../../../settings/blanks.ts'

/**
 * Command lines of a unified kernel image: one, or one for each profile. Empty for another EFI program; undefined if the bytes
 * are no EFI program or end too early.
 * @see Unified Kernel Image specification; PE format, section table
 */
export function commandLinesOfImage(bytes: Uint8Array): readonly string[] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const sections = sectionsOf(view)
  if (sections === undefined) return undefined
  if (!sections.some(({ name }) => name === '.linux')) return []
  const lines: string[] = []
  for (const { name, start, size } of sections) {
    if (name !== '.cmdline') continue
    if (start + size > bytes.length) return undefined
    lines.push(new TextDecoder().decode(bytes.subarray(start, start + size)).replace(withBlanksOfC(/[\0\s]+$/), ''))
  }
  // Without an embedded command line it uses that of the boot loader, which is empty.
  return lines.length === 0 ? [''] : lines
}

interface Section {
  readonly name: string
  readonly start: number
  readonly size: number
}

const HEADER_BYTES = 24
const SECTION_BYTES = 40

function sectionsOf(view: DataView): readonly Section[] | undefined {
  if (view.byteLength < 0x40 || view.getUint16(0, true) !== 0x5a4d) return undefined
  const header = view.getUint32(0x3c, true)
  if (header + HEADER_BYTES > view.byteLength || view.getUint32(header, true) !== 0x4550) return undefined
  const count = view.getUint16(header + 6, true)
  const table = header + HEADER_BYTES + view.getUint16(header + 20, true)
  if (table + count * SECTION_BYTES > view.byteLength) return undefined
  return Array.from({ length: count }, (_, index) => {
    const at = table + index * SECTION_BYTES
    const name = new Uint8Array(view.buffer, view.byteOffset + at, 8)
    // The section in the file may be padded, or shorter than in memory.
    const size = Math.min(view.getUint32(at + 8, true), view.getUint32(at + 16, true))
    return { name: new TextDecoder().decode(name).replace(/\0+$/, ''), start: view.getUint32(at + 20, true), size }
  })
}
