import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PROJECT, readDocument } from './documents.ts'

const DEFINITION = readFileSync(join(PROJECT, 'src/resource-type/definition.ts'), 'utf8')

test.each(['Suitability', 'Provider', 'TypeDefinition', 'TypeBehaviour', 'ResourceContext'])(
  'the guide on types has every member of %s',
  (name) => {
    const [, body = ''] = new RegExp(`interface ${name}\\b(.*?)^}`, 'ms').exec(DEFINITION) ?? []
    const members = [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, member = '']) => member)
    expect(members).not.toEqual([])
    const tables = readDocument('docs/guide/writing-a-resource-type.md').match(/^\| `.*$/gm) ?? []
    const named = tables.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, member = '']) => member))
    expect(members.filter((member) => !named.includes(member))).toEqual([])
  },
)
