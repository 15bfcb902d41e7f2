import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cryptoPolicy } from '../../../src/subjects/crypto-policy/index.ts'
import { observeCryptoPolicy } from '../../../src/subjects/crypto-policy/observe.ts'
import { type ContractScene, contractTests } from '../../../src/testing/index.ts'
import { put } from '../../support/contract.ts'
import { cryptoHandsIn, cryptoMachine, cryptoMachineIn } from '../../support/crypto-machine.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

function scene(
  title: string,
  state: ContractScene['state'],
  wanted: object,
  files: Readonly<Record<string, string>> = {},
): ContractScene {
  return {
    title,
    state,
    arrange(directory) {
      if (files['nothing'] === undefined) cryptoMachine(directory, files)
      return { name: 'DEFAULT', ...wanted }
    },
    target: cryptoMachineIn,
    remediator: cryptoHandsIn,
  }
}

const ETC = 'etc/crypto-policies'
const NOTHING = { nothing: '' }
const MODULES = ['NO-SHA1', 'NO-SSHCBC']
const WITH_MODULES = {
  [`${ETC}/config`]: 'DEFAULT:NO-SHA1:NO-SSHCBC\n',
  [`${ETC}/state/current`]: 'default:no-sha1:no-sshcbc\n',
}

const scenes: readonly ContractScene[] = [
  scene('as it has to be', 'compliant', { fips: false, modules: [] }),
  scene('with modules, of which the program says that all is well', 'compliant', { modules: MODULES }, WITH_MODULES),
  scene('not installed, where that is fine', 'compliant', { if_absent: 'compliant' }, NOTHING),
  scene('not installed', 'unfixable', {}, NOTHING),
  scene('another policy', 'fixable', { name: 'FUTURE' }),
  scene('configured and not applied', 'fixable', { name: 'FUTURE' }, { [`${ETC}/config`]: 'FUTURE\n' }),
  scene('a module that is missing', 'fixable', { modules: { includes: ['NO-SHA1'] } }),
  scene('a back end written by hand', 'fixable', {}, { [`${ETC}/back-ends/gnutls.config`]: 'SYSTEM=ALL\n' }),
  scene(
    'files of modules written by hand',
    'fixable',
    { modules: MODULES },
    {
      ...WITH_MODULES,
      check: '1 The configured policy does NOT match the generated policy',
    },
  ),
  scene('a sshd that does not go by it', 'unfixable', {}, { 'etc/sysconfig/sshd': '# x\nCRYPTO_POLICY=\n' }),
  scene('a kernel without FIPS', 'unfixable', { fips: true }),
]

for (const { name, run } of contractTests(cryptoPolicy, { scenes })) test(name, run)

const BACKEND = 'Include /etc/crypto-policies/back-ends/opensshserver.config\n'
const UNIT = `[Service]
EnvironmentFile=-/etc/crypto-policies/back-ends/opensshserver.config
EnvironmentFile=-/etc/sysconfig/sshd
ExecStart=/usr/sbin/sshd -D $OPTIONS $CRYPTO_POLICY
`

describe('observed state', () => {
  async function seen(files: Readonly<Record<string, string>>, gone: readonly string[] = []) {
    const directory = temporaryDirectory()
    cryptoMachine(directory)
    put(directory, files)
    for (const path of gone) rmSync(join(directory, path), { recursive: true })
    const observed = await observeCryptoPolicy(cryptoMachineIn(directory), new AbortController().signal)
    return observed.kind === 'present' ? observed.state : observed
  }

  test('local files are a part of a back end', async () => {
    const local = { [`${ETC}/local.d/gnutls-x.config`]: 'more\n', [`${ETC}/local.d/openssl-x.config`]: 'other\n' }
    expect(await seen(local)).toMatchObject({
      strays: { value: [{ path: '/etc/crypto-policies/back-ends/gnutls.config' }] },
    })
    expect(await seen({ ...local, [`${ETC}/back-ends/gnutls.config`]: 'SYSTEM=NONE\n\nmore\n' })).toMatchObject({
      strays: { value: [] },
    })
  })

  test('a back end that holds something else is compared by all of it', async () => {
    const strays = {
      kind: 'known',
      value: [{ path: '/etc/crypto-policies/back-ends/gnutls.config', text: 'SYSTEM=ALL\n' }],
    }
    expect(await seen({ [`${ETC}/back-ends/gnutls.config`]: 'SYSTEM=ALL\n' })).toMatchObject({ strays })
  })

  test.each([
    [
      'a back end that is gone',
      {},
      [`${ETC}/back-ends/gnutls.config`],
      { strays: { value: [{ why: 'it does not exist' }] } },
    ],
    [
      'a policy that was not generated',
      { [`${ETC}/state/current`]: 'OWN\n' },
      [],
      { strays: { reason: 'not-observable' } },
    ],
    [
      'modules in lines of their own, as update-crypto-policies reads them',
      { [`${ETC}/config`]: 'default::no-sha1 # so\n\nOSPP:AD-SUPPORT\n' },
      [],
      { config: { value: { base: 'DEFAULT', modules: ['NO-SHA1', 'OSPP', 'AD-SUPPORT'] } } },
    ],
    ['a line that names nothing', { [`${ETC}/config`]: 'DEFAULT\nno sha1\n' }, [], { config: { reason: 'invalid' } }],
    ['modules of no policy', { [`${ETC}/config`]: ':NO-SHA1\n' }, [], { config: { reason: 'invalid' } }],
    [
      'no configuration, so that of the package',
      { 'usr/share/crypto-policies/default-config': '# x\nDEFAULT\n' },
      [`${ETC}/config`],
      { config: { value: { base: 'DEFAULT', modules: [] } } },
    ],
    [
      'no configuration in the mode of FIPS',
      { 'proc/sys/crypto/fips_enabled': '1\n' },
      [`${ETC}/config`],
      { config: { value: { base: 'FIPS', modules: [] } } },
    ],
    ['no configuration of the package either', {}, [`${ETC}/config`], { config: { reason: 'not-observable' } }],
    [
      'no configuration, and a mode of FIPS that cannot be seen',
      {},
      [`${ETC}/config`, 'proc'],
      { config: { reason: 'not-observable' } },
    ],
    ['no policy', { [`${ETC}/config`]: '# DEFAULT\n' }, [], { config: { reason: 'invalid' } }],
    ['no state', {}, [`${ETC}/state`], { current: { reason: 'not-observable' }, strays: { reason: 'not-observable' } }],
    [
      'a program that knows no --check',
      { ...WITH_MODULES, check: '2 usage' },
      [],
      { strays: { kind: 'unknown', reason: 'command' } },
    ],
    ['a kernel without the parameter', {}, ['proc/sys/crypto'], { fips: { value: false } }],
    ['no /proc', {}, ['proc'], { fips: { reason: 'not-observable' } }],
    ['FIPS', { 'proc/sys/crypto/fips_enabled': '1\n' }, [], { fips: { value: true } }],
    ['no sshd', {}, ['etc/ssh'], { optOuts: { value: [] } }],
    [
      'the policy included by the main file',
      { 'etc/ssh/sshd_config': 'Include /etc/crypto-policies/back-ends/opensshserver.config\n' },
      ['etc/ssh/sshd_config.d'],
      { optOuts: { value: [] } },
    ],
    [
      'a file that includes the policy, which no file includes',
      { 'etc/ssh/sshd_config': '# Include /etc/ssh/sshd_config.d/*.conf\n' },
      [],
      { optOuts: { value: [{ service: 'sshd', at: expect.stringContaining('includes') }] } },
    ],
    [
      'an include that is a comment',
      { 'etc/ssh/sshd_config.d/50-redhat.conf': '# Include /etc/crypto-policies/back-ends/opensshserver.config\n' },
      [],
      { optOuts: { value: [{ service: 'sshd' }] } },
    ],
    [
      'the file of later releases',
      { 'etc/ssh/sshd_config.d/40-redhat-crypto-policies.conf': BACKEND },
      ['etc/ssh/sshd_config.d/50-redhat.conf'],
      { optOuts: { value: [] } },
    ],
    [
      'a file that sshd does not read',
      { 'etc/ssh/sshd_config.d/40-redhat-crypto-policies.conf.rpmsave': BACKEND },
      ['etc/ssh/sshd_config.d/50-redhat.conf'],
      { optOuts: { value: [{ service: 'sshd' }] } },
    ],
    [
      'the unit of release 8',
      { 'usr/lib/systemd/system/sshd.service': UNIT },
      ['etc/ssh/sshd_config.d'],
      { optOuts: { value: [] } },
    ],
    [
      'a unit that hides it and has no policy',
      {
        'usr/lib/systemd/system/sshd.service': UNIT,
        'etc/systemd/system/sshd.service': '[Service]\nExecStart=/usr/sbin/sshd -D\n',
      },
      ['etc/ssh/sshd_config.d'],
      { optOuts: { value: [{ service: 'sshd' }] } },
    ],
    [
      'a drop-in of the unit without the policy',
      {
        'usr/lib/systemd/system/sshd.service': UNIT,
        'etc/systemd/system/sshd.service.d/own.conf': '[Service]\nExecStart=\nExecStart=/usr/sbin/sshd -D $OPTIONS\n',
      },
      ['etc/ssh/sshd_config.d'],
      { optOuts: { value: [{ service: 'sshd' }] } },
    ],
    // sshd: "Directive 'Ciphers' is not allowed within a Match block"
    [
      'the policy for some connections',
      { 'etc/ssh/sshd_config': `Match User bob\n${BACKEND}` },
      ['etc/ssh/sshd_config.d'],
      { optOuts: { kind: 'unknown', reason: 'invalid' } },
    ],
    [
      'the policy included from another place',
      { 'etc/ssh/sshd_config': 'Include="/etc/ssh/own.conf"\n', 'etc/ssh/own.conf': `  ${BACKEND}` },
      ['etc/ssh/sshd_config.d'],
      { optOuts: { value: [] } },
    ],
    [
      'a variable, and one that is a comment',
      { 'etc/sysconfig/sshd': '# CRYPTO_POLICY=\n CRYPTO_POLICY=\n' },
      [],
      { optOuts: { value: [{ at: '/etc/sysconfig/sshd:2 sets CRYPTO_POLICY' }] } },
    ],
  ])('%s', async (_name, files, gone, expected) => {
    expect(await seen(files, gone)).toMatchObject(expected)
  })
})
