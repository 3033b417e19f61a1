import { PolicyCheckReply, PolicyDraft, PolicyReplayBody, PolicyReplayReply, PolicyReply } from 'protocol'
import { type Route, route } from './route.ts'

/** `/api/policy`: shows policy.yaml, and judges a draft of it. Nothing here writes the file. */
export const policyRoutes = (desk: {
  state(): PolicyReply
  check(text: string): PolicyCheckReply
  /** Judges the newest journal entries again by a draft. @throws JarvisError `invalid_request` if the draft cannot be used */
  replay(text: string, entries: number): Promise<PolicyReplayReply>
}): Route[] => [
  route('/policy').get(
    'The text of `policy.yaml`, and the whole policy in force in words.',
    { role: 'owner', reply: PolicyReply },
    () => desk.state(),
  ),
  route('/policy/check').post(
    'Checks a draft of `policy.yaml`: every problem with its line and column, or what the draft changes. Writes nothing.',
    { role: 'owner', body: PolicyDraft, reply: PolicyCheckReply, limit: '1mb' },
    ({ body }) => desk.check(body.text),
  ),
  route('/policy/replay').post(
    'The calls among the newest journal entries that a draft would have judged differently. Writes nothing. 400 where the draft cannot be used.',
    { role: 'owner', body: PolicyReplayBody, reply: PolicyReplayReply, limit: '1mb' },
    ({ body }) => desk.replay(body.text, body.entries),
  ),
]
