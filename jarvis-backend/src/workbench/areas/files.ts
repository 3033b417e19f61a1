import { existsSync } from 'node:fs'
import type { Missing } from 'protocol'
import { pathReason, shippedPolicy } from '../../gate/index.ts'
import { withPorts } from '../../tools/tool.ts'
import { fileTools } from '../../tools/workbench/files.ts'
import { rootProblem } from '../root-problem.ts'
import type { Area, Bench } from './area.ts'

/** The area for files of the host: in the roots of policy.yaml, and in each session's own folder. */
export function composeFiles({ policy, rootOf, ownPaths, store, applier, mayWriteIn }: Bench): Area {
  return {
    name: 'files',
    tools: withPorts(fileTools, {
      roots: () => policy().roots,
      rootOf,
      closed: (place) => pathReason(place, { policy: { ...shippedPolicy, workbench: policy() }, ownPaths }),
      mayWriteIn,
      store,
      applier,
    }),
    missing: () => [
      ...(existsSync('/proc/self/fd')
        ? []
        : [
            {
              what: 'Linux with /proc',
              remedy: 'The tools over files need /proc/self/fd: run JARVIS on Linux, and mount /proc.',
            },
          ]),
      ...policy().roots.flatMap(({ name, path }): Missing[] => {
        const why = rootProblem(path)
        return why === undefined ? [] : [{ what: `the root ${name}`, remedy: why }]
      }),
    ],
  }
}
