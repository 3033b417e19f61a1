import { existsSync } from 'node:fs'
import { systemClock } from 'node-kit/clock'
import type { Missing } from 'protocol'
import { bwrapPath } from 'sandbox/argv'
import type { Starter } from 'sandbox/start'
import { pathReason, shippedPolicy } from '../../gate/index.ts'
import { withPorts } from '../../tools/tool.ts'
import { gitTools } from '../../tools/workbench/git/index.ts'
import { createGit } from '../git/git.ts'
import { createSandbox } from '../sandbox/level.ts'
import type { Area, Bench } from './area.ts'
import { lacking } from './lacking.ts'

const needs = [
  { path: '/usr/bin/git', what: 'git', remedy: 'apt install git' },
  { path: bwrapPath, what: 'bubblewrap', remedy: 'apt install bubblewrap: JARVIS runs Git in a sandbox alone.' },
]

/** The area for Git in the roots of policy.yaml. Git runs only in the full sandbox. @param starter replaces bubblewrap, for tests */
export function composeGit(
  { policy, isProtected, rootOf, ownPaths, clock, scratch }: Bench,
  starter: Starter = {},
): Area {
  // The real clock, because programs take real time even if a test sets the server's clock.
  const sandbox = createSandbox(systemClock, starter)

  function missing(): Missing[] {
    const absent = needs.filter(({ path }) => !existsSync(path)).map(({ what, remedy }) => ({ what, remedy }))
    const verdict = sandbox.verdict()
    if (absent.length > 0 || verdict.level === 'full' || verdict.at === 0) return absent
    return [{ what: `a full sandbox for Git (${verdict.because})`, remedy: verdict.remedy }]
  }

  return {
    name: 'git',
    tools: lacking(
      withPorts(gitTools, {
        git: createGit(clock, starter),
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
    look: sandbox.tried,
    start() {
      if (policy().git) void sandbox.tried()
    },
  }
}
