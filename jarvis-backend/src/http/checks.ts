import { CheckBody, CheckRow, ChecksReply } from 'protocol'
import type { Watch } from '../watch/watch.ts'
import { Ok, ok, type Route, route } from './route.ts'

/** `/api/checks`: lists the checks, turns a check off and on, and runs all checks now. */
export const checkRoutes = (watch: Pick<Watch, 'checks' | 'setOff' | 'checkNow'>): Route[] => [
  route('/checks').get(
    'Checks: what each looks at, its limit, when it looked, and what it did not see.',
    { role: 'viewer', token: 'read', reply: ChecksReply },
    () => watch.checks(),
  ),
  route('/checks/:id').patch(
    'Switches a check off or on. Its alerts end when it is switched off.',
    { role: 'operator', body: CheckBody, reply: CheckRow },
    ({ params, body, by }) => watch.setOff(params.id, body.isOff, by),
  ),
  // All checks of a large cluster take minutes, so the answer does not wait for their end.
  route('/checks/run').post('Lets all checks look now.', { role: 'operator', status: 202, reply: Ok }, () => {
    void watch.checkNow()
    return ok
  }),
]
