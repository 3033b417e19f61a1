import { existsSync } from 'node:fs'
import { pathReason, shippedPolicy } from '../../gate/index.ts'
import { withPorts } from '../../tools/tool.ts'
import { gitTools } from '../../tools/workbench/git/index.ts'
import { createGit } from '../../workbench/git/git.ts'
import { bwrapPath } from '../../workbench/sandbox/argv.ts'
import type { Area, Bench } from './area.ts'
import { lacking } from './lacking.ts'

const missing = () => needs.filter(({ path }) => !existsSync(path)).map(({ what, remedy }) => ({ what, remedy }))

const needs = [
  { path: '/usr/bin/git', what: 'git', remedy: 'apt install git' },
  { path: bwrapPath, what: 'bubblewrap', remedy: 'apt install bubblewrap: JARVIS runs Git in a sandbox alone.' },
]

/** Git in the roots of policy.yaml, run in the sandbox. */
export function composeGit({ policy, isProtected, rootOf, ownPaths, clock, scratch }: Bench): Area {
  return {
    name: 'git',
    tools: lacking(
      withPorts(gitTools, {
        git: createGit(clock),
        scratch,
        roots: () => policy().roots,
        rootOf,
        stays(place) {
          if (isProtected(place)) return 'is protected'
          const isRead = policy().roots.some(({ name, write }) => name === place.root && !write)
          return isRead ? 'is in a root that is only read' : undefined
        },
        closed: (place) => pathReason(place, { policy: { ...shippedPolicy, workbench: policy() }, ownPaths }),
      }),
      missing,
    ),
    missing,
  }
}
