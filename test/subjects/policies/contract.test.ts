import { test } from 'vitest'
import { apply } from '../../../src/subjects/policies/index.ts'
import { contractTests } from '../../../src/testing/index.ts'

// What a child manifest says is looked at with the policy, so the type itself has nothing but its definition.
for (const { name, run } of contractTests(apply, { scenes: [] })) test(name, run)
