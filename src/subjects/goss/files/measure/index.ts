import { measureMatching } from '../judge.ts'
import type { GossContent, GossType, Measured, MeasureGoss } from '../resource.ts'
import { measureAddress } from './addr.ts'
import { measureCommand } from './command.ts'
import { measureName } from './dns.ts'
import { measureFile } from './file.ts'
import { measureGroup } from './group.ts'
import { measureWeb } from './http.ts'
import { measureInterface } from './interface.ts'
import { measureKernelParameter } from './kernel-param.ts'
import type { MeasureType } from './measure-type.ts'
import { measureMount } from './mount.ts'
import { measurePackage } from './package.ts'
import { measurePort } from './port.ts'
import { measureProcess } from './process.ts'
import { measureService } from './service.ts'
import { measureUser } from './user.ts'

const TYPES: Readonly<Record<Exclude<GossType, 'matching'>, MeasureType>> = {
  addr: measureAddress,
  command: measureCommand,
  dns: measureName,
  file: measureFile,
  group: measureGroup,
  http: measureWeb,
  interface: measureInterface,
  'kernel-param': measureKernelParameter,
  mount: measureMount,
  package: measurePackage,
  port: measurePort,
  process: measureProcess,
  service: measureService,
  user: measureUser,
}

/** Measures the requested attributes of a resource, through the readers of the other resource types. */
export const measureGoss: MeasureGoss = async (request, wanted, target, signal) => {
  // A document cannot contain other values.
  if (request.type === 'matching') return measureMatching({ given: request.given as Record<string, GossContent> })
  const attributes = await TYPES[request.type]({ request, wanted, target, signal })
  if (attributes.kind === 'unknown') return new Map(wanted.map((name) => [name, attributes]))
  const measured = new Map<string, Measured>()
  for (const name of wanted) {
    const look = attributes.value[name]
    if (look !== undefined) measured.set(name, await look())
  }
  return measured
}
