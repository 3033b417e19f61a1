/** A German verb: its imperative without an ending, its infinitive, and the particle at the end of an order, as in `fahr … hoch`. */
type GermanVerb = readonly [imperative: string, infinitive: string, particle?: string]

const erase: readonly GermanVerb[] = [
  ['l(?:ö|oe)sch', 'l(?:ö|oe)schen'],
  ['entfern', 'entfernen'],
]
const make: readonly GermanVerb[] = [
  ['erstell', 'erstellen'],
  ['mach', 'machen'],
  ['leg', 'legen', 'an'],
]
const run: readonly GermanVerb[] = [
  ['f(?:ü|ue)hr', 'f(?:ü|ue)hren', 'aus'],
  // An ending is required, because `start` alone may be English and no order.
  ['start(?=e|t)', 'starten'],
]
const restart: readonly GermanVerb[] = [
  ['start', 'starten', 'neu'],
  ['boot', 'booten', 'neu'],
  ['reboot', 'rebooten'],
]
const shutDown: readonly GermanVerb[] = [
  ['fahr', 'fahren', '(?:he)?runter'],
  ['schalt', 'schalten', '(?:aus|ab)'],
]

/** German verbs for the verbs of tools. */
const verbs: ReadonlyMap<string, readonly GermanVerb[]> = new Map([
  [
    'wake',
    [
      ['weck', 'wecken'],
      ['weck', 'wecken', 'auf'],
      ['schalt', 'schalten', '(?:ein|an)'],
    ],
  ],
  [
    'start',
    [
      ['start', 'starten'],
      ['fahr', 'fahren', '(?:hoch|rauf)'],
      ['schalt', 'schalten', '(?:ein|an)'],
    ],
  ],
  ['stop', [['stopp', 'stoppen'], ['halt', 'halten', 'an'], ['beend', 'beenden'], ...shutDown]],
  ['shutdown', shutDown],
  ['restart', restart],
  ['reboot', restart],
  ['delete', erase],
  ['destroy', erase],
  ['back', [['sichere', 'sichern'], ...make]],
  ['take', [['nimm', 'nehmen'], ...make]],
  ['create', make],
  [
    'clone',
    [
      ['klon', 'klonen'],
      ['kopier', 'kopieren'],
    ],
  ],
  [
    'migrate',
    [
      ['verschieb', 'verschieben'],
      ['migrier', 'migrieren'],
      ['zieh', 'ziehen', 'um'],
    ],
  ],
  [
    'restore',
    [
      ['stell', 'stellen', '(?:wieder ?)?her'],
      ['spiel', 'spielen', '(?:ein|zur(?:ü|ue)ck)'],
    ],
  ],
  [
    'rollback',
    [
      ['setz', 'setzen', 'zur(?:ü|ue)ck'],
      ['roll', 'rollen', 'zur(?:ü|ue)ck'],
    ],
  ],
  [
    'resize',
    [
      ['vergr(?:ö|oe)(?:ß|ss)er', 'vergr(?:ö|oe)(?:ß|ss)ern'],
      ['erweiter', 'erweitern'],
    ],
  ],
  [
    'set',
    [
      ['setz', 'setzen'],
      ['(?:ä|ae)nder', '(?:ä|ae)ndern'],
      ['stell', 'stellen', 'ein'],
    ],
  ],
  [
    'refresh',
    [
      ['aktualisier', 'aktualisieren'],
      ['l(?:ie|e)s', 'lesen', 'neu'],
    ],
  ],
  ['run', run],
  ['execute', run],
  [
    'apply',
    [
      ['wend', 'wenden', 'an'],
      ['(?:ü|ue)bernimm', '(?:ü|ue)bernehmen'],
    ],
  ],
  [
    'cancel',
    [
      ['brich', 'brechen', 'ab'],
      ['storniere', 'stornieren'],
    ],
  ],
  [
    'undo',
    [
      ['nimm', 'nehmen', 'zur(?:ü|ue)ck'],
      ['mach', 'machen', 'r(?:ü|ue)ckg(?:ä|ae)ngig'],
    ],
  ],
  [
    'drill',
    [
      ['test', 'testen'],
      ['prob', 'proben'],
    ],
  ],
  [
    'write',
    [
      ['schreib', 'schreiben'],
      ['merk', 'merken'],
      ['notier', 'notieren'],
    ],
  ],
  ['commit', [['committ?', 'committen']]],
])

const letter = '[\\p{L}\\p{N}_]'
const begin = `(?<!${letter})`
const end = `(?!${letter})`
/** Matches up to six words between the verb and the target. */
const between = '(?:[^\\p{L}\\p{N}_\\n]{1,8}[\\p{L}\\p{N}_]{1,40}){0,6}?[^\\p{L}\\p{N}_\\n]{1,8}'
const asking =
  'bitte|jetzt|sofort|nun|dann|und|du|sie|muss|musst|m(?:ü|ue)ssen|sollst|soll|sollen|sollte|solltest|kannst|k(?:ö|oe)nntest|w(?:ü|ue)rdest'
const start = `(?:^|[.!?:;,"'“„(\\]]|${begin}(?:${asking})${end})\\s{0,8}`

const imperative = ([stem, infinitive]: GermanVerb) =>
  `${begin}(?:${stem}(?:e|t|et)?${end}|${infinitive}[ ]{1,4}sie${end})`
const infinitiveOf = ([, infinitive, particle = '']: GermanVerb) =>
  `${begin}${particle === '' ? '' : `${particle} ?`}(?:zu ?)?${infinitive}${end}`

/** Finds orders of a tool's verb in German: `wecke agent auf`, `agent bitte aufwecken`. @param target matches the name of the order's object */
export const germanOrders = (verb: string, target: string): RegExp[] =>
  (verbs.get(verb) ?? []).flatMap((one) => [
    new RegExp(
      `${start}${imperative(one)}${between}${target}${one[2] === undefined ? '' : `${between}${one[2]}${end}`}`,
      'imu',
    ),
    new RegExp(`${begin}(?:${asking})${between}${target}${between}${infinitiveOf(one)}`, 'imu'),
    new RegExp(`${begin}${target}${between}${infinitiveOf(one)}[ \\t]{0,4}(?:[.!"“]|$)`, 'imu'),
  ])

/** True if a text contains a tool's verb in German. The particle is part of the verb: `starte … neu` restarts, `starte` does not. */
export const saysInGerman = (text: string, verb: string | undefined): boolean =>
  (verbs.get(verb ?? '') ?? []).some((one) => {
    const particle = one[2] === undefined ? '' : `${between}(?:${one[2]})${end}`
    return new RegExp(`${imperative(one)}${particle}|${infinitiveOf(one)}`, 'iu').test(text)
  })
