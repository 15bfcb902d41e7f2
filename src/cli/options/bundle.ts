import type { OptionsOf, OptionSpecs } from '../command.ts'
import { usageError } from '../errors.ts'

/** Options of commands that open bundles. */
export const BUNDLE_OPTIONS = {
  checksum: {
    kind: 'list',
    group: 'Bundles:',
    placeholder: 'sha256:HEX',
    summary: 'Required digest of the remote bundle',
  },
} as const satisfies OptionSpecs

/** Converts the checksum for the library. Throws an `OperatorError` if it is invalid or ambiguous. */
export async function checksumOf(
  operands: readonly string[],
  { checksum: [checksum, second] }: OptionsOf<typeof BUNDLE_OPTIONS>,
  command: string,
): Promise<{ readonly checksum?: string }> {
  if (checksum === undefined) return {}
  if (second !== undefined) throw usageError('option --checksum is given more than once', command)
  const { expectedDigest } = await import('../../policy/load.ts')
  const expected = expectedDigest(operands, checksum)
  if (typeof expected === 'object') throw usageError(`--checksum: ${expected.message}`, command)
  return { checksum }
}
