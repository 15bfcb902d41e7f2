import fc from 'fast-check'

/** Text made of what versions are made of, so that pairs often share a beginning. */
function piece(characters: readonly string[], maxLength: number): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...characters), { minLength: 1, maxLength }).map((parts) => parts.join(''))
}

const COMMON = [
  '0',
  '1',
  '2',
  '9',
  '00',
  '10',
  '010',
  '99999999999999999999',
  'a',
  'b',
  'A',
  'Z',
  'rc',
  '.',
  '.',
  '~',
  '+',
]

/** Versions that dpkg accepts: they start with a digit, and the revision follows the last hyphen. */
export const debianVersion: fc.Arbitrary<string> = fc
  .tuple(
    fc.option(fc.constantFrom('0', '1', '2', '10')),
    fc.constantFrom('0', '1', '12', '1.0', '01'),
    fc.option(piece([...COMMON, '-'], 4)),
    fc.option(piece(COMMON, 4)),
  )
  .map(
    ([epoch, start, rest, revision]) =>
      `${epoch === null ? '' : `${epoch}:`}${start}${rest ?? ''}${revision === null ? '' : `-${revision}`}`,
  )
  // A revision that is there must not be empty.
  .filter((text) => !text.endsWith('-'))

export const rpmVersion: fc.Arbitrary<string> = fc
  .tuple(
    fc.option(fc.constantFrom('0', '1', '2', '10')),
    piece([...COMMON, '^', '_'], 5),
    fc.option(piece([...COMMON, '^', '_'], 4)),
  )
  .map(
    ([epoch, version, release]) =>
      `${epoch === null ? '' : `${epoch}:`}${version}${release === null ? '' : `-${release}`}`,
  )
