import { expect, test } from 'vitest'
import { parseKernelOptions } from '../../../src/subjects/kernel-modules/kernel-builds.ts'

const HEAD = '#\n# Automatically generated file; DO NOT EDIT.\n# Linux/x86 6.1.0 Kernel Configuration\n#\n'

test.each([
  ['CONFIG_A=y\n', 'y'],
  ['CONFIG_A=m\n', 'm'],
  ['CONFIG_A=0x10\n', '0x10'],
  ['CONFIG_A="a b"\n', 'a b'],
  ['CONFIG_A="a \\"b\\" \\\\"\n', 'a "b" \\'],
  ['CONFIG_A=""\n', ''],
  ['# CONFIG_A is not set\nCONFIG_B=y\n', undefined],
])('%j', (text, value) => {
  const options = parseKernelOptions(HEAD + text, '/boot/config-6.1.0')
  expect(options.kind === 'known' ? options.value.get('CONFIG_A') : options).toBe(value)
})

test.each([
  ['', 'is not a complete kernel configuration'],
  [HEAD, 'is not a complete kernel configuration'],
  [`${HEAD}CONFIG_A=y`, 'is not a complete kernel configuration'],
  [`${HEAD}CONFIG_A=y\nCONFIG_`, ':6 is not a kernel'],
  [`${HEAD}CONFIG_A=y\n\u0000\u0001\n`, ':6 is not a kernel'],
  ['<html>\n', ':1 is not a kernel'],
])('%j is not known', (text, detail) => {
  const options = parseKernelOptions(text, '/boot/config-6.1.0')
  expect(options).toMatchObject({ kind: 'unknown', reason: 'invalid', detail: expect.stringContaining(detail) })
})
