/**
 * `driftgate/testing`: tests of resource types, for any test runner.
 *
 * ```ts
 * import { test } from 'node:test'
 * import { contractTests } from 'driftgate/testing'
 *
 * for (const { name, run } of contractTests(fileOwner, { scenes })) test(name, run)
 * ```
 *
 * @packageDocumentation
 */
export { auditResource, fixResource, type Properties, type ResourceTestOptions } from './run-resource.ts'
export {
  checkContract,
  type ContractFixture,
  type ContractTest,
  contractTests,
  type ContractViolation,
  unseenDrifts,
} from './contract.ts'
export type { ContractScene } from './scene.ts'
export { type TestMachine, type TestTarget, testTarget } from './test-target.ts'
export type { PlantedFile } from '../host/root/plant-files.ts'
