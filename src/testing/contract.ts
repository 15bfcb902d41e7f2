import type { ResourceType } from '../resource-type/define.ts'
import { loadTypes } from '../subjects/index.ts'
import { compilePolicySchema } from '../policy/schema/compile.ts'
import { parsePolicy } from '../policy/read/policy.ts'
import { exportedBy, SCENE_RULES } from './rules.ts'
import { type ContractScene, onStage } from './scene.ts'

/** The scenes that a type is tested with. */
export interface ContractFixture {
  /** Include at least one compliant and one fixable scene. */
  readonly scenes: readonly ContractScene[]
}

/** One test of a contract, for any test runner. */
export interface ContractTest {
  /** The rule and the title of the scene. */
  readonly name: string
  /** Rejects with an `Error` that lists every violation. */
  readonly run: () => Promise<void>
}

/** A violation of the contract. */
export interface ContractViolation {
  readonly rule: string
  /** Title of the scene; undefined if the definition itself violates the rule. */
  readonly scene?: string
  readonly message: string
}

/**
 * The tests that every resource type has to pass, from any author:
 *
 * - its examples are valid policies;
 * - the names of its differences and of its exported values are declared;
 * - an acceptance of a value decides as the value does;
 * - unknown is never absent: what cannot be read makes an error;
 * - an audit writes nothing;
 * - a root is looked at through the target, never as this machine;
 * - a fix repairs, and the second one has nothing to do;
 * - what cannot be fixed is not tried.
 *
 * ```ts
 * for (const { name, run } of contractTests(fileOwner, { scenes })) test(name, run)
 * ```
 */
export function contractTests(type: ResourceType, fixture: ContractFixture): readonly ContractTest[] {
  return checksOf(type, fixture).map(({ rule, scene, check }) => ({
    name: `${type.type}: ${rule}${scene === undefined ? '' : `: ${scene}`}`,
    async run() {
      const problems = await check()
      if (problems.length > 0) throw new Error(problems.join('\n'))
    },
  }))
}

/** Runs the tests of `contractTests` in sequence and resolves to all violations. */
export async function checkContract(
  type: ResourceType,
  fixture: ContractFixture,
): Promise<readonly ContractViolation[]> {
  const violations: ContractViolation[] = []
  for (const { rule, scene, check } of checksOf(type, fixture)) {
    const problems = await check()
    const place = scene === undefined ? { rule } : { rule, scene }
    violations.push(...problems.map((message) => ({ ...place, message })))
  }
  return violations
}

interface Check {
  readonly rule: string
  readonly scene?: string
  readonly check: () => Promise<readonly string[]>
}

function checksOf(type: ResourceType, { scenes }: ContractFixture): readonly Check[] {
  return [
    { rule: 'examples are valid policies', check: () => exampleProblems(type) },
    { rule: 'every exported value is given', check: () => missingExports(type, scenes) },
    ...scenes.flatMap((scene) =>
      Object.entries(SCENE_RULES).map(([rule, check]) => ({
        rule,
        scene: scene.title,
        check: () => onStage(type, scene, check),
      })),
    ),
  ]
}

async function exampleProblems(type: ResourceType): Promise<readonly string[]> {
  if (type.examples.length === 0) return ['no example']
  const types = [...(await loadTypes()).filter((each) => each.type !== type.type), type]
  const validate = compilePolicySchema(types)
  return type.examples.flatMap(({ title, yaml }) => {
    const text = `ccm:\n  resources:\n    - ${yaml.replaceAll('\n', '\n      ')}\n`
    const read = parsePolicy(text, { file: 'example.yaml', workingDirectory: '/', types, validate })
    if (!read.ok) return read.problems.map(({ message }) => `example "${title}": ${message}`)
    const isShown = read.value.resources.some((resource) => resource.type === type.type)
    return isShown ? [] : [`example "${title}" has no resource of type ${type.type}`]
  })
}

/** Exported values that no scene produces: possibly the type never produces them. */
async function missingExports(type: ResourceType, scenes: readonly ContractScene[]): Promise<readonly string[]> {
  const given = new Set<string>()
  for (const scene of scenes) {
    // A separate rule checks the declaration of exported values.
    for (const name of await onStage(type, scene, (stage) => exportedBy(stage).catch(() => []))) given.add(name)
  }
  return Object.keys(type.exports)
    .filter((name) => !given.has(name))
    .map((name) => `no scene gives the exported value "${name}"`)
}

/** Declared differences that no scene produces. Without another test that produces one, the type possibly never reports it. */
export async function unseenDrifts(type: ResourceType, { scenes }: ContractFixture): Promise<readonly string[]> {
  const shown = new Set<string>()
  for (const scene of scenes) {
    const { drift } = await onStage(type, scene, ({ audit }) => audit())
    for (const { property } of drift) shown.add(property)
  }
  return type.drifts.filter((name) => !shown.has(name))
}
