/** Matches a Proxmox task id (UPID). It contains a process id, a start time and random parts. */
const upid = /\bUPID:[^\s/"'`,;()[\]{}]+/g
/** `2026-11-23T09:14:05.123Z`, `2026-11-23`, `23 Nov 2026`. */
const dates = /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?\b/g
const namedDates = /\b\d{1,2} (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?(?: \d{4})?\b/gi
const clockTimes = /\b\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?(?: ?[ap]m)?\b/gi
/** Matches Unix times in seconds or milliseconds, from 2017 on. */
const unixTimes = /\b1[5-9]\d{8}(?:\d{3})?\b/g
const duration = String.raw`(?:\d{1,15}(?:\.\d{1,9})? ?(?:ms|s|sec(?:onds?)?|min(?:utes?)?|h(?:ours?)?|d(?:ays?)?|weeks?)\b[ ,]{0,3}(?:and )?){1,8}`
/** `36 s ago`, `12 d 3 h old`. */
const agos = new RegExp(String.raw`\b${duration}(?:ago|old|before)\b`, 'gi')
/** `up 12 d 3 h`, `uptime: 93,214`, `after 4.2 s`, `took 120 ms`. */
const uptimes = new RegExp(
  String.raw`\b(?:up(?:time)?|since|after|in|took|for|age|duration|elapsed)["']?(?:_?(?:s|ms|seconds))?["']?[ :=]{0,8}(?:${duration}|[\d.,]+\b)`,
  'gi',
)
/** `request 8f3a`, `seq=17`, `pid 4711`, `attempt 3`. */
const counters =
  /\b(?:request|req|seq(?:uence)?|pid|attempt|try|trace|nonce|counter|count|packets?|net_?in|net_?out|disk_?read|disk_?write|rx|tx)["']?(?:[ _-]?(?:id|no|number|bytes))?["']?[ :=#]{0,8}[\w-]{0,64}?\d[\w.-]*/gi

/**
 * Replaces the parts of a result that differ each time although nothing has changed: clocks, uptimes, durations and counters. All other parts stay,
 * because a changed progress, state or size is a changed result.
 */
export function steady(text: string): string {
  return [upid, dates, namedDates, clockTimes, unixTimes, agos, uptimes, counters].reduce(
    (rest, pattern) => rest.replace(pattern, '#'),
    text,
  )
}
