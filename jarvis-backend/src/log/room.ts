import type { Activity } from 'protocol'
import type { GrowingRedactor } from 'redaction/growing'
import { defineRoom } from '../house.ts'
import { createEventStreams, type EventStreams } from '../http/event-streams.ts'
import type { Clock } from '../lib/clock.ts'
import { ActivityFeed, type Words } from '../realtime/activity.ts'
import type { SiteLog } from './site-log.ts'

/** The log of a site, and the activity feed that people see. */
export type LogParts = {
  redactor: GrowingRedactor
  redact(text: string): string
  /** Adds a secret that became known at run time to the redactor. */
  hide(secret: string): void
  log(text: string, level: 'info' | 'warning'): void
  /** Writes an error to the log. */
  report(error: unknown, message: string): void
  activity: ActivityFeed
  /** Server-sent events of all sessions and of the activity feed. */
  streams: EventStreams
  /** Writes a line to the log and to the activity feed. */
  announce(kind: Activity['kind']): (text: string, level: 'info' | 'warning', words?: Words) => void
}

/** The log, the activity feed and its streams. */
export const logRoom = defineRoom({
  name: 'log',
  open({ siteLog, clock }: { siteLog: SiteLog; clock: Clock }) {
    const activity = new ActivityFeed()
    const parts: LogParts = {
      redactor: siteLog.redactor,
      redact: siteLog.redactor.text,
      hide: (secret) => siteLog.hide(secret),
      log: (text, level) => siteLog.write(text, level),
      report: (error, message) => siteLog.report(error, message),
      activity,
      streams: createEventStreams(clock),
      announce: (kind) => (text, level, words) => {
        siteLog.write(text, level)
        activity.record({ at: clock.now(), kind, level, text }, words)
      },
    }
    return parts
  },
})
