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
import { get, post, type Route } from './route.ts'

/** `/api/alerts`: present and earlier alerts; acknowledges and silences them. */
export const alertRoutes = (watch: Watch, shown: (person: PersonRef) => Pick<Shown, 'change'>): Route[] => [
  get(
    '/alerts',
    'Alerts now, gravest first. `checkedAt` is null before the first look, `ended` counts seven days. [Alerts](alerts.md) has the states.',
    { role: 'viewer', token: 'read', reply: AlertsReply },
    () => watch.list(),
  ),
  get(
    '/alerts/history',
    'Alerts that ended, newest first. `object` is an id such as `node/pve`.',
    { role: 'viewer', token: 'read', query: AlertHistoryQuery, reply: AlertHistory },
    ({ query }) => watch.history(query),
  ),
  get(
    '/alerts/:id',
    'One alert with what is known of it; `missing` says what could not be read.',
    { role: 'viewer', token: 'read', reply: AlertDetail },
    ({ params, identity }) => watch.detail(params.id, shown(identity.person).change),
  ),
  post(
    '/alerts/:id/acknowledge',
    'Acknowledges an alert. `untilValue`, in the check’s unit, ends that when the value is worse.',
    { role: 'operator', body: AcknowledgeBody, reply: Alert },
    ({ params, body, by }) => watch.acknowledge(params.id, body, by),
  ),
  post(
    '/alerts/:id/unacknowledge',
    'Takes an acknowledgement back.',
    { role: 'operator', reply: Alert },
    ({ params, by }) => watch.unacknowledge(params.id, by),
  ),
  post(
    '/alerts/:id/silence',
    'Silences an alert `until` a time at most 30 days ahead, or without an end.',
    { role: 'operator', body: SilenceBody, reply: Alert },
    ({ params, body, by }) => watch.silence(params.id, body, by),
  ),
  post(
    '/alerts/:id/unsilence',
    'Ends a silence, also of an alert that has ended.',
    { role: 'operator', reply: Alert },
    ({ params, by }) => watch.unsilence(params.id, by),
  ),
]
