import type { ResourceType } from '../../src/resource-type/define.ts'
import { loadTypes } from '../../src/subjects/index.ts'

/** Every resource type that ships, in the order of the reference. */
export const resourceTypes: readonly ResourceType[] = await loadTypes()
