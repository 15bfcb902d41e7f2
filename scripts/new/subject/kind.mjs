// A subject with a resource type: its files, its tests, and the line in the registry.

import { identifierOf, pascalOf } from '../identifiers.mjs'

export const summary = 'a subject with a resource type: what a policy says, observe, decide, apply'

export const generates = true

const TYPE_NAME = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/
const LONGEST_NAME = 40

/** Folders beside those of the types. */
const TAKEN = ['shared']

export function nameProblem(name) {
  if (TAKEN.includes(name)) return `a type cannot be called "${name}": the folder src/subjects/${name} is not a type's`
  if (TYPE_NAME.test(name) && name.length <= LONGEST_NAME) return undefined
  const like = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
  const advice = TYPE_NAME.test(like) && like.length <= LONGEST_NAME ? `; did you mean "${like}"?` : ''
  return `a type cannot be called "${name}": it is words of small letters and digits with _ between them, such as kernel_module${advice}`
}

export function owns(name) {
  return [`src/subjects/${name}`, `test/subjects/${name}`]
}

export function files(name) {
  return {
    'index.ts': `src/subjects/${name}/index.ts`,
    'decide.ts': `src/subjects/${name}/decide.ts`,
    'hosts-file.ts': `src/subjects/${name}/hosts-file.ts`,
    'contract.test.ts': `test/subjects/${name}/contract.test.ts`,
  }
}

export function words(name) {
  const pascal = pascalOf(name)
  return { __type__: name, __ident__: identifierOf(name, 'Type'), __Name__: pascal }
}

export function edits(name) {
  return { 'src/subjects/index.ts': (text) => register(text, name) }
}

/** Adds the subject to the registry, before the settings that end it. */
export function register(text, name) {
  const identifier = identifierOf(name, 'Type')
  const line = `  { name: '${name}', types: { ${name}: async () => (await import('./${name}/index.ts')).${identifier} } },\n`
  const listed = text.replace(/(?= {2}\{ name: 'settings')/, line)
  if (listed === text) throw new Error('src/subjects/index.ts has no list to add a subject to')
  return listed
}

export function next(name) {
  return [
    `Subject ${name} is there and works: a resource is an entry of a file of hosts. Now make it what it is to be:`,
    `- src/subjects/${name}/index.ts says what a policy may write; comments say what follows from it.`,
    `- A subject that is read otherwise on a running host than below a root has a descriptor, as src/subjects/sysctl/subject.ts.`,
    `- npm run generate after every change of properties, exports or examples.`,
    `- npx vitest run test/subjects/${name} holds it to the contract of every type.`,
  ]
}
