export {
  defineExports,
  defineProperties,
  defineResource,
  type HintContext,
  type Provider,
  type ResourceContext,
  type ResourceDefinition,
  type ResourceExample,
  type ResourceType,
  type TemplateView,
  type Use,
} from './define.ts'
export { compare, type Compared, type Comparison } from './compare.ts'
export type { Captured, CaptureContext, CapturedContents, ResourceCapture } from './capture.ts'
export { TEXTS } from './text-order.ts'
