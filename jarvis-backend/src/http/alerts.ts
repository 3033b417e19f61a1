import {
  AcknowledgeBody,
  Alert,
  AlertDetail,
  AlertHistory,
  AlertHistoryQuery,
  AlertsReply,
  type PersonRef,
  SilenceBody,
} from 'protocol'
import type { Shown } from '../auth/closed-words.ts'
import type { Watch } from '../watch/watch.ts'
import { type Route, route } from './route.ts'

/** `/api/alerts`: present and earlier alerts; acknowledges and silences them. */
export const alertRoutes = (watch: Watch, shown: (person: PersonRef) => Pick<Shown, 'change'>): Route[] => [
  route('/alerts').get(
    'Alerts now, gravest first. `checkedAt` is null before the first look, `ended` counts seven days. [Alerts](alerts.md) has the states.',
    { role: 'viewer', token: 'read', reply: AlertsReply, isPacked: true },
    () => watch.list(),
  ),
  route('/alerts/history').get(
    'Alerts that ended, newest first. `object` is an id such as `node/pve`.',
    { role: 'viewer', token: 'read', query: AlertHistoryQuery, reply: AlertHistory },
    ({ query }) => watch.history(query),
  ),
  route('/alerts/:id').get(
    'One alert with what is known of it; `missing` says what could not be read.',
    { role: 'viewer', token: 'read', reply: AlertDetail },
    ({ params, identity }) => watch.detail(params.id, shown(identity.person).change),
  ),
  route('/alerts/:id/acknowledge').post(
    'Acknowledges an alert. `untilValue`, in the check’s unit, ends that when the value is worse.',
    { role: 'operator', body: AcknowledgeBody, reply: Alert },
    ({ params, body, by }) => watch.acknowledge(params.id, body, by),
  ),
  route('/alerts/:id/unacknowledge').post(
    'Takes an acknowledgement back.',
    { role: 'operator', reply: Alert },
    ({ params, by }) => watch.unacknowledge(params.id, by),
  ),
  route('/alerts/:id/silence').post(
    'Silences an alert `until` a time at most 30 days ahead, or without an end.',
    { role: 'operator', body: SilenceBody, reply: Alert },
    ({ params, body, by }) => watch.silence(params.id, body, by),
  ),
  route('/alerts/:id/unsilence').post(
    'Ends a silence, also of an alert that has ended.',
    { role: 'operator', reply: Alert },
    ({ params, by }) => watch.unsilence(params.id, by),
  ),
]
