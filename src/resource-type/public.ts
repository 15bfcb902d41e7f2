/** What the library publishes of the ways to define a resource type. */
export {
  defineExports,
  defineProperties,
  defineResource,
  type HintContext,
  type Provider,
  type ResourceContext,
  type ResourceDefinition,
  type ResourceExample,
  type ResourceStatus,
  type ResourceType,
  type TemplateView,
} from './define.ts'
export { TEXTS } from './text-order.ts'
