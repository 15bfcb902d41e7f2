import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkContract, contractTests, unseenDrifts } from '../../src/testing/index.ts'
import { besides, type Defects, noteType, SCENES } from './note.ts'

/** The rules that a type with these defects breaks, each once, with what is said first. */
async function broken(defects: Defects): Promise<Record<string, string>> {
  const violations = await checkContract(noteType(defects), { scenes: SCENES })
  return Object.fromEntries(violations.toReversed().map(({ rule, message }) => [rule, message]))
}

test('a sound type breaks no rule', async () => {
  expect(await broken({})).toEqual({})
})

const example = { title: 'E', yaml: 'demo.note:\n  - /etc/note:\n      text: hello\n      txt: hello' }

// Each rule with a defect that it exists for.
test.each<[string, Defects, string, string]>([
  [
    'an unreadable value taken for absent',
    { unreadable: 'absent' },
    'unknown is never absent',
    'unreadable state has the same drift as absent state',
  ],
  [
    'an unreadable value taken for right',
    { unreadable: 'as wanted' },
    'unknown is never absent',
    'the verdict is compliant although nothing could be read',
  ],
  [
    'one failed read of two taken for an empty answer',
    { deaf: true },
    'unknown is never absent',
    'the verdict is drifted with only question 2 unanswered',
  ],
  [
    'a look leaves a file',
    { alsoOnLook: (path) => writeFileSync(besides(path), '') },
    'an audit writes nothing',
    'an audit changed .',
  ],
  [
    'a look at this machine instead of the target',
    { ownEyes: true },
    'a root is looked at through the target',
    'below a root with the scene the verdict is drifted (text: want hello, found (no note)), as on this machine, which does not have the scene',
  ],
  [
    'an undeclared difference',
    { drift: 'txet' },
    'drift names are declared',
    'resource type demo.note decided about "txet", which it does not declare under drifts',
  ],
  [
    'acceptances that are not looked into',
    { accepting: true },
    'an acceptance of a value decides as the value does',
    '"text" has the accepted value "hello", but the verdict is drifted (',
  ],
  [
    'a fix that does nothing',
    { lazy: true },
    'a fix is idempotent',
    'the verdict of a fix must be fixed, but is fix-failed (failed to reach the desired state: text)',
  ],
  [
    'a fix of what is right',
    { restless: true },
    'a fix is idempotent',
    'a compliant resource must stay compliant, but is fixed',
  ],
  ['no example', { examples: [] }, 'examples are valid policies', 'no example'],
  [
    'an example with a mistake',
    { examples: [example] },
    'examples are valid policies',
    'example "E": unknown property "txt" of type demo.note, did you mean "text"?',
  ],
  [
    'an example of something else',
    { examples: [{ title: 'E', yaml: 'file:\n  - /etc/note:\n      ensure: absent' }] },
    'examples are valid policies',
    'example "E" has no resource of type demo.note',
  ],
  [
    'an undeclared exported value',
    { exported: { lenght: 5 } },
    'exported values are declared',
    'the exported value "lenght" is not declared',
  ],
  [
    'an exported value of another kind',
    { exported: { length: '5' } },
    'exported values are declared',
    'the exported value "length" must be an integer',
  ],
  [
    'an exported value that is never there',
    { exported: {} },
    'every exported value is given',
    'no scene gives the exported value "length"',
  ],
  [
    'a value that does not come true',
    { foreseen: 7 },
    'foreseen values come true',
    '"length" should be 7 after a fix, but is 5',
  ],
  [
    'a promise that is not kept',
    { boastful: true },
    'its state is as the fixture says',
    'the scene is unfixable, but a fix will change it: drifted (text: want xxxxxxxxxxxxxxxxxxxxx, found (no note))',
  ],
])('%s is found', async (_title, defects, rule, message) => {
  expect((await broken(defects))[rule]).toContain(message)
})

test('a write that puts back what was there is a write', async () => {
  const alsoOnLook = (path: string): void => {
    utimesSync(join(path, '..'), 0, 0)
    utimesSync(join(path, '..'), 0, 0)
  }
  expect(await broken({ alsoOnLook })).toHaveProperty('an audit writes nothing')
})

test('an attempted fix that was declared impossible is found', async () => {
  expect(await broken({ boastful: true })).toMatchObject({
    'what cannot be fixed is not tried': expect.stringContaining('an impossible fix was attempted') as string,
  })
})

test('a runner gets one test for each rule and scene, and an error that says what is wrong', async () => {
  const tests = contractTests(noteType({ drift: 'txet' }), { scenes: SCENES })
  expect(new Set(tests.map(({ name }) => name)).size).toBe(tests.length)
  const wanted = 'demo.note: drift names are declared: a note that is missing'
  await expect(tests.find(({ name }) => name === wanted)?.run()).rejects.toThrow('decided about "txet"')
  const sound = contractTests(noteType(), { scenes: SCENES })
  await expect(sound.find(({ name }) => name === wanted)?.run()).resolves.toBeUndefined()
})

test('differences that no scene shows are named', async () => {
  expect(await unseenDrifts(noteType(), { scenes: SCENES })).toEqual([])
  expect(await unseenDrifts(noteType(), { scenes: SCENES.slice(0, 1) })).toEqual(['text'])
})
