import { addressProblem, baseOf, hostOf } from '../addresses.ts'
import type { Channel, ChannelKind, Outgoing } from '../channel.ts'
import { ask, attempted, outcome } from '../post.ts'
import { hearTaps } from './home-assistant-taps.ts'

/** The app on a phone, through a notify service of Home Assistant. Only Home Assistant says who pressed a button, so a button there only denies. */
export const homeAssistant: ChannelKind = {
  id: 'homeassistant',
  name: 'Home Assistant',
  readers: 'Home Assistant and the phone maker’s push service can read these messages.',
  capabilities: {
    decidesAtMost: 'deny',
    isIdempotent: true,
    pairs: false,
    hidesNames: true,
  },
  settings: [
    {
      name: 'URL',
      label: 'Server',
      isRequired: true,
      example: 'http://homeassistant.lan:8123',
      problem: addressProblem,
    },
    { name: 'TOKEN', label: 'Long-lived access token', isRequired: true, example: 'eyJ…' },
    {
      name: 'SERVICE',
      label: 'Notify service of the phone',
      isRequired: true,
      example: 'mobile_app_pixel',
      problem: (value) =>
        /^[a-z0-9_]{1,100}$/.test(value) ? undefined : 'must be the name after notify., for example mobile_app_pixel',
    },
  ],
  open({ URL: url = '', TOKEN: token = '', SERVICE: service = '' }, { clock, problem }): Channel {
    const base = baseOf(url)
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
    const notify = (body: object, signal: AbortSignal) =>
      attempted(async () => {
        const path = `${base}/api/services/notify/${service}`
        const answer = await ask(path, { headers, body: JSON.stringify(body), signal })
        if (answer.status === 400) return { kind: 'failed', why: 'it does not know the notify service' }
        return outcome(answer) ?? { kind: 'sent' }
      })
    /** The phone asks to be unlocked before it sends an action on. */
    const actionsOf = (buttons: Outgoing['buttons']) => {
      const denials = buttons.filter(({ does }) => does === 'deny')
      const actions = denials.map(({ token: action, label: title }) => ({
        action,
        title,
        authenticationRequired: true,
      }))
      return actions.length === 0 ? {} : { actions }
    }
    /** A message with the same tag replaces the earlier one on the phone. */
    const bodyOf = ({ id, title, lines, level, link, buttons, isOver }: Outgoing) => ({
      title,
      message: lines.join('\n') || title,
      data: {
        tag: id,
        ...(link !== undefined && { url: link, clickAction: link }),
        ...actionsOf(isOver ? [] : buttons),
        ...(!isOver && (level === 'card' || level === 'failed') && { priority: 'high', ttl: 0 }),
      },
    })
    return {
      place: hostOf(url),
      deliver: (message, _to, signal) => notify(bodyOf(message), signal),
      revise: (message, _sent, signal) => notify(bodyOf(message), signal),
      withdraw: ({ id }, _sent, signal) => notify({ message: 'clear_notification', data: { tag: id } }, signal),
      incoming: (heard, _cursor, signal) => hearTaps({ base, token, clock, heard, problem, signal }),
      async health(signal) {
        const answer = await ask(`${base}/api/`, { method: 'GET', headers, signal })
        if (answer.status === 401) return { problem: 'it does not know the token' }
        return answer.status === 200 ? {} : { problem: `it answered ${answer.status}` }
      },
    }
  },
}
