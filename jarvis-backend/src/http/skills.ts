import { SkillApproval, SkillList, SkillTree, SkillUpload } from 'protocol'
import { z } from 'zod'
import type { Skills } from '../skills/library.ts'
import { type Route, route } from './route.ts'

/** `agent`: the agent whose own skills are meant; absent: the skills of the workspace. */
const Owner = z.strictObject({ agent: z.string().max(100).optional() })

/** `/api/skills`: lists skills, shows all files of a skill, and approves, turns off and deletes a skill. */
export const skillRoutes = ({
  of,
  redact,
}: {
  /** Returns the skills of an agent or of the workspace. @throws JarvisError `unknown_agent` */
  of(agent: string | undefined): Skills
  redact<T>(value: T): T
}): Route[] => [
  route('/skills').get(
    'The [skills](skills.md) of the workspace, or of an `agent`. `catalogue.missing` are enabled ones that do not fit the prompt.',
    { role: 'viewer', token: 'read', query: Owner, reply: SkillList },
    ({ query }) => redact(of(query.agent).list()),
  ),
  route('/skills').post(
    'Puts the files of a skill into a folder of its own, under the name that its SKILL.md gives; approves nothing. 409 where the folder is there.',
    { role: 'operator', status: 201, limit: '8mb', body: SkillUpload, reply: SkillTree },
    ({ body: { files, agent }, by }) =>
      of(agent).add(
        files.map(({ path, data }) => ({ path, bytes: Buffer.from(data, 'base64') })),
        by,
      ),
  ),
  route('/skills/:name').get(
    'A skill with all files, their texts, and what was approved before. Texts hold invisible characters as they are.',
    { role: 'viewer', token: 'read', query: Owner, reply: SkillTree },
    ({ params, query, identity }) => {
      const tree = of(query.agent).get(params.name)
      // An operator approves exactly these bytes and needs their unredacted form.
      return identity.role === 'operator' ? tree : redact(tree)
    },
  ),
  route('/skills/:name/approve').post(
    'Approves the folder with this `hash`. 409 where it has another one by now, or cannot be approved.',
    { role: 'operator', password: true, body: SkillApproval, reply: SkillTree },
    ({ params, body: { hash, agent }, by }) => of(agent).approve(params.name, hash, by),
  ),
  route('/skills/:name/off').post(
    'Turns a skill off.',
    { role: 'operator', body: Owner, reply: SkillTree },
    ({ params, body, by }) => of(body.agent).turnOff(params.name, by),
  ),
  route('/skills/:name').delete(
    'Deletes the folder and the approval.',
    { role: 'operator', body: Owner },
    ({ params, body, by }) => of(body.agent).remove(params.name, by),
  ),
]
