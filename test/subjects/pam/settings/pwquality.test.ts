import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pwquality } from '../../../../src/subjects/pam/settings/pwquality.ts'
import {
  cannotAsk,
  effectiveOn,
  type Files,
  machines,
  named,
  truths,
  valueOn,
} from '../../../support/surface-oracle.ts'
import { hostile } from '../../../support/hostile-files.ts'
import { expectAgreement } from '../../../support/proof.ts'
import { PATIENCE } from '../../../support/soak.ts'

const MAIN = '/etc/security/pwquality.conf'

const pwqualityLine = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .tuple(
        fc.constantFrom('', ' ', '\t'),
        fc.constantFrom('minlen=', 'minlen = ', 'minlen ', 'minlen\t=\t', 'minlen = = ', 'minlen  '),
        fc.integer({ min: 7, max: 40 }),
        fc.constantFrom('', ' ', ' # 5', '#x'),
      )
      .map((parts) => parts.join('')),
  },
  { weight: 3, arbitrary: fc.constantFrom('# minlen = 9', '', '  ', 'difok = 2', 'enforce_for_root', 'dictpath = /x') },
  { weight: 1, arbitrary: fc.constantFrom('minlen=', 'minlen = 9x', 'MINLEN = 9', 'minlan = 9', 'minlen') },
)

const pwqualityFiles: fc.Arbitrary<Files> = fc.dictionary(
  fc.constantFrom(MAIN, `${MAIN}.d/10.conf`, `${MAIN}.d/9.conf`, `${MAIN}.d/B.conf`, `${MAIN}.d/a.conf`, `${MAIN}.d/c`),
  fc.array(pwqualityLine, { maxLength: 3 }).map((lines) => `${lines.join('\n')}\n`),
  { minKeys: 1, maxKeys: 4 },
)

/** Less than this libpwquality accepts of no configuration. */
const LEAST = 6

const needsPwscore = cannotAsk(['pwscore', 'unshare'], 'root')

test.skipIf(needsPwscore)(
  named('the least length of a password is that of pwscore', needsPwscore),
  { timeout: PATIENCE },
  () => {
    const all = machines(hostile(pwqualityFiles))
    const said = truths(all, {
      // Links lead to the files of each machine.
      before: `echo aB1 > password; mkdir s; mount --bind s /etc/security
for name in pwquality.conf pwquality.conf.d; do ln -s now/$name s/$name; done`,
      each: 'ln -sfn $PWD/$count/etc/security s/now; pwscore < password > $count/truth 2>&1',
    })
    const wrong = all.flatMap((files, index): unknown[] => {
      const ours = valueOn(
        pwquality,
        { ...files, '/etc/pam.d/passwd': 'password required pam_pwquality.so\n' },
        'minlen',
      )
      const truth = /shorter than (\d+)/.exec(said[index] ?? '')?.[1] ?? 'unknown'
      const isSame = ours?.startsWith('unknown: ') === true || Math.max(LEAST, Number(ours)) === Number(truth)
      return isSame ? [] : [{ files, ours, truth: said[index] }]
    })
    expectAgreement({ reader: 'pwquality.conf', program: 'pwscore', texts: all.length }, wrong)
  },
)

test.each<[title: string, pam: Files, expected: readonly (string | undefined)[]]>([
  [
    'an argument wins over the files',
    { '/etc/pam.d/common-password': 'password requisite pam_pwquality.so retry=3 minlen=6' },
    ['6'],
  ],
  [
    'the line of another module says nothing',
    { '/etc/pam.d/common-password': 'password requisite pam_unix.so minlen=6' },
    ['14'],
  ],
  ['a comment says nothing', { '/etc/pam.d/common-password': '#password requisite pam_pwquality.so minlen=6' }, ['14']],
  [
    'an argument of one service counts for that one',
    {
      '/etc/pam.d/a': 'password [success=1 default=ignore] \\\n /lib/security/pam_pwquality.so minlen=6',
      '/etc/pam.d/b': '-password requisite pam_pwquality.so',
    },
    ['14', '6'],
  ],
  [
    'an argument shared by all services counts for all, another one for its own',
    {
      '/etc/pam.d/a': 'password requisite pam_pwquality.so minlen=8',
      '/etc/pam.d/b': 'password requisite pam_pwquality.so minlen=8',
      '/etc/pam.d/c': 'password requisite pam_pwquality.so minlen=6 [badwords=a b]',
    },
    ['8', '6'],
  ],
])('pam_pwquality: %s', (_title, pam, expected) => {
  const effective = effectiveOn(pwquality, { [MAIN]: 'minlen = 14\n', ...pam }, 'minlen')
  if (typeof effective === 'string') throw new Error(effective)
  expect(effective.map(({ winners }) => winners[0]?.value)).toEqual(expected)
})
