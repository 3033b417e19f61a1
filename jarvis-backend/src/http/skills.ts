import { Router } from 'express'
import { z } from 'zod'
import type { StepUp } from '../auth/step-up.ts'
import { SkillApproval, type SkillTree } from '../protocol/index.ts'
import type { Skills } from '../skills/library.ts'
import { identityOf, operatorOnly, param, passwordAgain, read } from './handle.ts'

/** `agent`: whose own skills; absent: those of the workspace. */
const Owner = z.strictObject({ agent: z.string().max(100).optional() })

/** `/api/skills`: what there is, a whole tree, approving one, turning one off, deleting one. */
export function skillRoutes(parts: {
  /** @throws JarvisError `unknown_agent` */
  of(agent: string | undefined): Skills
  redact<T>(value: T): T
  stepUp: StepUp
}): Router {
  const { redact } = parts
  const router = Router()
  const skillsOf = (query: unknown) => parts.of(read(Owner, query).agent)
  router.get('/', (request, response) => {
    response.json(redact(skillsOf(request.query).list()))
  })
  router.get('/:name', (request, response) => {
    const tree: SkillTree = skillsOf(request.query).get(param(request, 'name'))
    // An operator approves these bytes and needs them unredacted.
    response.json(identityOf(response).role === 'operator' ? tree : redact(tree))
  })
  router.post('/:name/approve', operatorOnly, passwordAgain(parts.stepUp), (request, response) => {
    const { hash, agent } = read(SkillApproval, request.body)
    response.json(parts.of(agent).approve(param(request, 'name'), hash, identityOf(response).sub))
  })
  router.post('/:name/off', operatorOnly, (request, response) => {
    const { agent } = read(Owner, request.body)
    response.json(parts.of(agent).turnOff(param(request, 'name'), identityOf(response).sub))
  })
  router.delete('/:name', operatorOnly, (request, response) => {
    const { agent } = read(Owner, request.body)
    parts.of(agent).remove(param(request, 'name'), identityOf(response).sub)
    response.status(204).end()
  })
  return router
}
