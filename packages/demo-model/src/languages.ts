import { changeVerbs } from './strange.ts'

/** A sentence of another language, and the English one that means the same. `$1`: the first captured words. */
type Phrase = readonly [pattern: RegExp, english: string]

const phrase = (pattern: string, english: string): Phrase => [
  new RegExp(`^(?:${pattern.replaceAll(' ', '\\s+')})$`, 'iu'),
  english,
]
const phrases = (rows: Readonly<Record<string, string>>): Phrase[] =>
  Object.entries(rows).map(([pattern, english]) => phrase(pattern, english))

const x = '(.+?)'
const cores = {
  de: '(?:kerne?|cpus?|gb|gib|mb|mib)',
  fr: '(?:c(?:œ|oe)urs?|cpus?|go|gb|mo|mb)',
  es: '(?:núcleos?|cpus?|gb|mb)',
}

const german = phrases({
  [`(?:bestätige|quittiere) (?:den |die )?(?:alarm|warnung|meldung)(?: (?:von|vom|für|über|zu) ${x})?`]:
    'acknowledge the alert of $1',
  [`(?:schalte?|stelle?) (?:den |die )?(?:alarm|warnung|meldung)(?: (?:von|vom|für|über|zu) ${x})?(?: für (\\d+) stunden?)? stumm`]:
    'silence the alert of $1 for $2 hours',
  [`(?:starte?|boote) ${x} neu`]: 'restart $1',
  [`${x} neu ?starten`]: 'restart $1',
  [`(?:mach|mache|erstelle?|starte?|lege?) (?:mir )?(?:eine? |ein neues )?(?:datensicherung|sicherung|backup) (?:von|für|vom) ${x}(?: an)?`]:
    'back up $1',
  [`(?:mach|mache|erstelle?|nimm|lege?) (?:mir )?(?:einen? )?(?:schnappschuss|snapshot) (?:von|für|vom) ${x}(?: an)?`]:
    'take a snapshot of $1',
  [`(?:stoppe?|beende) ${x}`]: 'stop $1',
  [`(?:fahr|fahre) ${x} (?:herunter|runter)`]: 'shut down $1',
  [`(?:fahr|fahre) ${x} hoch`]: 'start $1',
  [`(?:schalte?|mache?|drehe?) ${x} (?:aus|ab)`]: 'turn off $1',
  [`(?:schalte?|mache?|drehe?) ${x} (?:an|ein)`]: 'turn on $1',
  [`halte? ${x} an`]: 'stop $1',
  [`wecke? ${x}(?: auf)?`]: 'wake $1',
  [`starte ${x}`]: 'start $1',
  [`sichere ${x}`]: 'back up $1',
  [`${x} (?:stoppen|beenden|anhalten)`]: 'stop $1',
  [`${x} (?:herunterfahren|ausschalten|abschalten)`]: 'shut down $1',
  [`${x} (?:einschalten|anschalten|hochfahren|starten)`]: 'start $1',
  [`${x} sichern`]: 'back up $1',
  [`gib ${x} (\\d+) ?${cores.de}(?: (?:ram|speicher|arbeitsspeicher))?`]: 'give $1 $2',
  [`(?:verschiebe?|migriere|ziehe?) ${x} (?:nach|auf|zu) ${x}(?: um)?`]: 'move $1 to $2',
  [`(?:lösche?|entferne|zerstöre) ${x}`]: 'delete $1',
  [`(?:klone|kopiere) ${x} als ${x}`]: 'clone $1 as $2',
  '(?:mache? )?(?:(?:das|es|die letzte änderung) )?(?:wieder )?rückgängig(?: machen)?|nimm (?:das|es) zurück':
    'undo that',
  "wie geht ?(?:es|[’']?s)(?: (?:dem|den|der) (?:cluster|servern?))?|wie läuft ?(?:es|[’']?s)": 'how is the cluster',
  "wie geht ?(?:es|[’']?s) dir": 'how are you',
  [`(?:wie geht ?(?:es|[’']?s)|was ist mit) ${x}`]: 'how is $1',
  [`wie (?:heiß|warm) (?:ist|sind) ${x}`]: 'how hot is $1',
  [`(?:warum|wieso|weshalb) ist ${x} (?:(?:so|zu) )?(?:heiß|warm)`]: 'why is $1 hot',
  '(?:warum|wieso|weshalb) (?:fehlen|fehlt|fehlen mir) .*(?:backups?|sicherung(?:en)?)': 'why are backups missing',
  '(?:welche|fehlen) (?:backups?|sicherungen)(?: fehlen)?': 'which backups are missing',
  'was ist (?:(?:heute|gestern|letzte nacht|so) )?(?:alles )?(?:passiert|geschehen|los|neu)': 'what happened today',
  'was (?:läuft|ist an)(?: (?:gerade|denn|alles))?': 'what is running',
  [`was läuft (?:gerade )?auf ${x}`]: 'what is running on $1',
  '(?:welche|zeige? (?:mir )?(?:alle )?(?:die )?) ?(?:vms|container|gäste|maschinen)(?: laufen)?':
    'which guests are running',
  [`läuft ${x}`]: 'is $1 running',
  '(?:ist |sind )?(?:alles|der cluster|das cluster) (?:in ordnung|ok|okay|gut|gesund)': 'is everything fine',
  '(?:welche|gibt es|zeige? (?:mir )?(?:die )?) ?(?:alarme|warnungen|alerts|meldungen)(?: gibt es| sind aktiv)?':
    'which alerts are firing',
  '(?:wie ?viel|wieviel) (?:platz|speicherplatz|speicher) (?:ist |gibt es |habe? (?:ich|wir) )?(?:noch )?(?:frei|übrig|da)?':
    'how much space is left',
  [`wie voll (?:ist|sind) ${x}`]: 'how full is $1',
  [`was (?:füllt|belegt|frisst) ${x}`]: 'what fills $1',
  'was kannst du(?: (?:alles|tun|machen|für mich tun))*|hilfe': 'what can you do',
  [`welche (?:snapshots|schnappschüsse) hat ${x}`]: 'which snapshots does $1 have',
  '(?:sind|ist) (?:die|meine) (?:platten|festplatten|disks|laufwerke) (?:gesund|in ordnung|ok|okay)':
    'are the disks healthy',
  [`(?:wie lautet|wie ist|was ist|welche ist) die ip(?:-?adresse)? (?:von|vom|des|der) ${x}`]: 'what is the ip of $1',
  [`(?:welche ip(?:-?adresse)?) hat ${x}`]: 'what is the ip of $1',
  'was hast du (?:heute )?(?:geändert|gemacht)': 'what did you change',
  [`wann wurde ${x} (?:zuletzt )?gesichert`]: 'when was $1 last backed up',
  [`zeige? mir ${x}`]: 'show me $1',
})

const french = phrases({
  [`(?:acquitte[rz]?|confirme[rz]?) (?:l[’']|la |cette )?(?:alerte|alarme)(?: (?:de |du |sur |d[’'])${x})?`]:
    'acknowledge the alert of $1',
  [`(?:mets en sourdine|fais taire) (?:l[’']|la |cette )?(?:alerte|alarme)(?: (?:de |du |sur |d[’'])${x})?(?: pendant (\\d+) heures?)?`]:
    'silence the alert of $1 for $2 hours',
  [`(?:red[ée]marre(?:r|z)?|relance(?:r|z)?) ${x}`]: 'restart $1',
  [`(?:fais|faire|faites) une (?:sauvegarde|copie) (?:de |d[’'])${x}|sauvegarde(?:r|z)? ${x}`]: 'back up $1$2',
  [`(?:fais|prends|cr[ée]e|faire|prendre) (?:un |une )?(?:snapshot|instantan[ée]|clich[ée]) (?:de |d[’'])${x}`]:
    'take a snapshot of $1',
  [`(?:arr[êe]te(?:r|z)?|stoppe(?:r|z)?|coupe(?:r|z)?) ${x}`]: 'stop $1',
  [`(?:[ée]teins|[ée]teint|[ée]teindre|[ée]teignez) ${x}`]: 'shut down $1',
  [`(?:d[ée]marre(?:r|z)?|allume(?:r|z)?|lance(?:r|z)?) ${x}`]: 'start $1',
  [`r[ée]veille(?:r|z)? ${x}`]: 'wake $1',
  [`donne (\\d+) ?${cores.fr} (?:de m[ée]moire )?[àa] ${x}`]: 'give $2 $1',
  [`(?:d[ée]place(?:r)?|migre(?:r)?) ${x} (?:vers|sur) ${x}`]: 'move $1 to $2',
  [`(?:supprime(?:r)?|efface(?:r)?|d[ée]truis) ${x}`]: 'delete $1',
  [`(?:clone|copie) ${x} (?:en|comme|sous) ${x}`]: 'clone $1 as $2',
  'annule(?:r)?(?: (?:ça|cela|ca|ce changement))?|d[ée]fais[- ](?:ça|le)': 'undo that',
  'comment (?:va|vont|se porte)(?:-t-il)?(?: (?:le cluster|les serveurs|tout))?|comment ça va': 'how is the cluster',
  [`comment va ${x}`]: 'how is $1',
  '(?:est-ce que )?tout (?:va|est) (?:bien|ok|en ordre)': 'is everything fine',
  [`quelle est la temp[ée]rature (?:de |du |d[’'])${x}`]: 'how hot is $1',
  [`pourquoi ${x} est(?:-il|-elle)? (?:si |trop |aussi )?chaude?|pourquoi est-ce que ${x} est (?:si |trop )?chaude?`]:
    'why is $1$2 hot',
  'pourquoi .*(?:manque(?:nt)?|[ée]chou).*|pourquoi .*sauvegardes.*': 'why are backups missing',
  'quelles sauvegardes manquent': 'which backups are missing',
  "(?:que s[’']est-il pass[ée]|qu[’']est-ce qui s[’']est pass[ée])(?: .*)?|quoi de neuf": 'what happened today',
  "qu[’']est-ce qui tourne": 'what is running',
  [`qu[’']est-ce qui tourne sur ${x}`]: 'what is running on $1',
  [`(?:est-ce que )?${x} (?:tourne-t-il|tourne-t-elle|est(?:-il)? (?:allumé|en marche))|est-ce que ${x} tourne`]:
    'is $1$2 running',
  '(?:quelles sont les |quelles |montre(?:-moi)? les )(?:alertes|alarmes)(?: .*)?': 'which alerts are firing',
  "(?:combien|quel) (?:d[’']espace|de place|espace)(?: .*)?": 'how much space is left',
  [`qu[’']est-ce qui (?:remplit|occupe) ${x}`]: 'what fills $1',
  "(?:que|qu[’']est-ce que) (?:peux-tu|tu peux|sais-tu|tu sais) faire|aide(?:-moi)?": 'what can you do',
  [`(?:quels|quelles) (?:snapshots|instantan[ée]s) (?:a|poss[èe]de) ${x}`]: 'which snapshots does $1 have',
  '(?:est-ce que )?(?:les|mes) disques (?:sont|vont)(?:-ils)? (?:sains|bien|en bonne sant[ée])':
    'are the disks healthy',
  [`quelle est l[’']?(?:adresse )?(?:l[’'])?ip (?:de |du |d[’'])${x}`]: 'what is the ip of $1',
  "qu[’']as-tu (?:chang[ée]|fait|modifi[ée])(?: .*)?": 'what did you change',
  [`montre(?:-moi)? ${x}`]: 'show me $1',
})

const spanish = phrases({
  [`(?:confirma|reconoce) (?:la |esta )?(?:alerta|alarma)(?: (?:de |del |sobre )${x})?`]: 'acknowledge the alert of $1',
  [`silencia (?:la |esta )?(?:alerta|alarma)(?: (?:de |del |sobre )${x})?(?: durante (\\d+) horas?)?`]:
    'silence the alert of $1 for $2 hours',
  [`reinicia(?:r|lo)? ${x}`]: 'restart $1',
  [`(?:haz|hacer|crea) (?:una )?(?:copia(?: de seguridad)?|respaldo) (?:de |del )${x}|respalda(?:r)? ${x}`]:
    'back up $1$2',
  [`(?:toma|haz|crea|hacer) (?:una? )?(?:snapshot|instant[áa]nea) (?:de |del )${x}`]: 'take a snapshot of $1',
  [`(?:det[ée]n|detener|parar) ${x}`]: 'stop $1',
  // `para` also means “for”, so it is an order only before a name (hidden as `§0§`) or a number alone.
  'para (?:(?:el|la|al) )?(?:(?:vm|ct|contenedor|m[áa]quina(?: virtual)?|servidor|nodo) )?(§\\d+§|\\d{3,})': 'stop $1',
  [`apaga(?:r)? ${x}`]: 'shut down $1',
  [`(?:inicia(?:r)?|arranca(?:r)?|enciende|encender) ${x}`]: 'start $1',
  [`despierta(?:r)? ${x}`]: 'wake $1',
  [`(?:dale|da) (\\d+) ?${cores.es} (?:de memoria |de ram )?a ${x}`]: 'give $2 $1',
  [`(?:mueve|mover|migra) ${x} (?:a|al|hacia) ${x}`]: 'move $1 to $2',
  [`(?:elimina(?:r)?|borra(?:r)?|destruye) ${x}`]: 'delete $1',
  [`(?:clona|copia) ${x} como ${x}`]: 'clone $1 as $2',
  'deshaz(?:lo)?(?: (?:eso|esto|el [úu]ltimo cambio))?|deshacer': 'undo that',
  'c[óo]mo (?:est[áa]|va|van)(?: (?:el (?:cl[úu]ster|cluster)|todo|los servidores))?': 'how is the cluster',
  [`c[óo]mo est[áa] ${x}`]: 'how is $1',
  '(?:est[áa] )?todo (?:bien|en orden|ok)|va todo bien': 'is everything fine',
  [`(?:qu[ée] temperatura tiene|cu[áa]l es la temperatura (?:de|del)) ${x}`]: 'how hot is $1',
  [`por ?qu[ée] (?:est[áa] )?${x} (?:est[áa] )?(?:tan )?caliente`]: 'why is $1 hot',
  [`por ?qu[ée] est[áa] (?:tan )?caliente ${x}`]: 'why is $1 hot',
  'por ?qu[ée] (?:faltan|fallaron|fallan) .*(?:copias|respaldos|backups).*': 'why are backups missing',
  'qu[ée] (?:pas[óo]|ha pasado|hay de nuevo)(?: .*)?': 'what happened today',
  'qu[ée] (?:est[áa] corriendo|se ejecuta|est[áa] encendido)': 'what is running',
  [`qu[ée] (?:est[áa] corriendo|se ejecuta|corre) en ${x}`]: 'what is running on $1',
  [`est[áa] (?:corriendo|encendido|funcionando) ${x}|(?:est[áa] )?${x} (?:est[áa] )?(?:corriendo|encendido|funcionando)`]:
    'is $1$2 running',
  'qu[ée] (?:alertas|alarmas)(?: .*)?': 'which alerts are firing',
  'cu[áa]nto espacio(?: .*)?': 'how much space is left',
  [`qu[ée] (?:llena|ocupa) ${x}`]: 'what fills $1',
  'qu[ée] (?:puedes|sabes) hacer|ayuda': 'what can you do',
  [`qu[ée] (?:snapshots|instant[áa]neas) tiene ${x}`]: 'which snapshots does $1 have',
  '(?:est[áa]n )?(?:sanos |bien )?(?:los|mis) discos(?: (?:est[áa]n )?(?:sanos|bien))?': 'are the disks healthy',
  [`cu[áa]l es la (?:direcci[óo]n )?ip (?:de|del) ${x}`]: 'what is the ip of $1',
  'qu[ée] (?:has cambiado|cambiaste)(?: .*)?': 'what did you change',
  [`mu[ée]stra(?:me)? ${x}`]: 'show me $1',
})

const all = [...german, ...french, ...spanish]

/** Orders that the demo cannot carry out in any language, by their verb. */
const otherVerbs = phrases({
  'plane (.*)|planifie(?:r|z)? (.*)|programme(?:r|z)? (.*)|programa(?:r)? (.*)|agenda (.*)': 'schedule',
  '(?:erstelle?|lege) (.*)|cr[ée](?:e|er|ez|a|ar) (.*)': 'create',
  'installiere (.*)|installe(?:r|z)? (.*)|instala(?:r)? (.*)': 'install',
  'schreibe? (.*)|[ée]cri(?:s|re|vez) (.*)|escrib(?:e|ir) (.*)': 'write',
  'aktualisiere (.*)|(?:mets|mettre) [àa] jour (.*)|actualiza(?:r)? (.*)': 'update',
  'erinnere? mich(.*)|rappelle[- ]moi(.*)|recu[ée]rdame(.*)': 'remind me',
  'füge? (.*)|ajoute(?:r|z)? (.*)|a[ñn]ade (.*)|agrega (.*)': 'add',
  'ändere (.*)|modifie(?:r|z)? (.*)|cambia(?:r)? (.*)': 'change',
  'setze? (.*)|mets (.*)|pon (.*)': 'set',
  'konfiguriere (.*)|richte (.*) ein|configura(?:r)? (.*)': 'configure',
})

/** Words that only the other languages have. One of them is enough to read a sentence as not English. */
const foreign =
  /(?<![\p{L}\p{N}-])(?:bitte|der|das|den|dem|ist|sind|und|nicht|wie|warum|wieso|welche[rs]?|läuft|wurde|zeige?|mir|meine?n?|eine?n?|für|von|erstelle|erinnere|schreibe?|le|la|les|du|des|une|sont|pourquoi|quel(?:le)?s?|qu['’]est-ce|avec|mes|s['’]il|el|los|las|una|qué|cómo|cuál|cuánto|dónde|está|están|por favor|mis|crea|écris|escribe|programa|planifie)(?![\p{L}\p{N}-])/iu

/** Single words and times, which follow a phrase or stand in a sentence that no phrase covers. */
const words: readonly (readonly [RegExp, string])[] = (
  [
    [
      'jede(?:n|r)? (?:nacht|abend)|nachts|chaque (?:nuit|soir)|toutes les nuits|cada noche|todas las noches',
      'every night',
    ],
    [
      'jeden (?:tag|morgen)|täglich|chaque (?:jour|matin)|tous les (?:jours|matins)|cada (?:día|dia|mañana)|todos los días',
      'every day',
    ],
    ['jede woche|wöchentlich|chaque semaine|toutes les semaines|cada semana|todas las semanas', 'every week'],
    ['jede stunde|stündlich|toutes les heures|cada hora', 'every hour'],
    ['um (\\d{1,2}(?::\\d\\d)?) ?uhr|à (\\d{1,2}(?::\\d\\d)?) ?h(?:eures?)?|a las (\\d{1,2}(?::\\d\\d)?)', 'at $1$2$3'],
    ['morgen|demain|mañana', 'tomorrow'],
    ['und|et|y', 'and'],
    ['sicherung(?:en)?|datensicherung(?:en)?|sauvegardes?|copias? de seguridad|respaldos?', 'backup'],
    ['schnappsch(?:uss|üsse)|instantan[ée]s?|instant[áa]neas?', 'snapshot'],
    ['knoten|nœuds?|noeuds?|nodos?', 'node'],
    ['festplatten?|platten?|disques?|discos?', 'disks'],
    ['speicherplatz|speicher|stockage|almacenamiento|espace|espacio', 'storage'],
    ['arbeitsspeicher|mémoire|memoria', 'memory'],
    ['alarme?|warnungen?|alertes?|alertas?', 'alerts'],
    ['aufgaben?|tâches?|tareas?', 'tasks'],
    ['heiß|chaude?|caliente', 'hot'],
    ['netzwerk|netz|réseau|red', 'network'],
    ['aktualisierung(?:en)?|mises? à jour|actualizaci(?:ón|ones)', 'updates'],
    ['warum|wieso|pourquoi|por ?qu[ée]', 'why'],
    ['es|ihn', 'it'],
    ['auf|sur|en', 'on'],
    ['von|vom|des|du|de|del', 'of'],
    ['der|die|das|den|dem|ein|eine[nrm]?|mein|meine[nrm]?|le|la|les|un|une|el|los|las|una|mon|ma|mes|mi|mis', ''],
    ["bitte|mal|s[’']il (?:te|vous) pla[iî]t|stp|svp|por favor", ''],
  ] as const
).map(([pattern, english]) => [
  new RegExp(`(?<![\\p{L}\\p{N}-])(?:${pattern.replaceAll(' ', '\\s+')})(?![\\p{L}\\p{N}-])`, 'giu'),
  english,
])

/** English words with which a sentence begins that is left as it is, because it may hold names and notes in any language. */
const english =
  /^\W*(?:comment (?:on|for|of)|description|tag|rename|check|click|note|put|remember|write|run|execute|ssh|search|grep|google|open|read|look|find|ask|have|let|get|tell|commit|replace|change|set|the|what|how|why|which|when|where|who|is|are|does|do|can|could|please|show|list|give|take|make|move|clone|delete|restart|stop|undo)(?![\p{L}'’-])/iu

/** Matches an English order, in which people also write a negation of their own language: `restart jellyfin nicht`. */
const mixedOrder = /^\W*(?:bitte |please )?(?:start|stop|restart|reboot|shut ?down|clone|delete|move)\s/iu
const mixedNegation = /(?<![\p{L}\p{N}-])(?:nicht|niemals|pas|jamais|nunca)(?![\p{L}\p{N}-])/iu

const polite =
  /^(?:[¿¡\s]*(?:bitte|jarvis|kannst du|könntest du|würdest du|mal|s['’]il (?:te|vous) pla[iî]t|stp|svp|(?:est-ce que )?tu peux|peux-tu|pourrais-tu|pouvez-vous|por favor|puedes|podrías|oye|hey)(?![\p{L}\p{N}])[\s,]*)+/iu
const politeEnd =
  /(?:[\s,]+(?:bitte|mal|jarvis|s['’]il (?:te|vous) pla[iî]t|stp|svp|por favor|jetzt|maintenant|ahora|gleich))+$/iu

/** Matches a translation that orders a change. */
const ordersChange = new RegExp(
  `^(?:please )?(?:${[...changeVerbs, 'start', 'stop', 'restart', 'reboot', 'shut', 'turn', 'switch', 'power', 'wake', 'kill', 'boot', 'back', 'take', 'give', 'roll', 'run', 'undo', 'redo', 'grow', 'rename', 'install', 'write', 'remind'].join('|')})(?![\\p{L}\\p{N}-])`,
  'iu',
)

/** Matches the beginning of a question, which must not become an order: `wie kann ich jellyfin stoppen`. */
const asksSomething =
  /^(?:warum|wieso|weshalb|wie|was|wer|wann|wo|woran|wozu|wofür|welche[rsnm]?|soll(?:te|en|ten)?|darf|muss|kann|können|könnte|ist|sind|läuft|hat|haben|hast|hätte|wurden?|wird|gibt es|pourquoi|comment|quand|que|qui|quoi|quel(?:le)?s?|qu['’]|est-ce|faut-il|dois-je|puis-je|peut-on|a-t-|est-il|por ?qu[ée]|para qu[ée]|c[óo]mo|cu[áa]ndo|qu[ée]|qui[ée]n|d[óo]nde|cu[áa]l|cu[áa]nto|debo|deber[íi]a|puedo|est[áa]n?)(?![\p{L}\p{N}])/iu

/** Matches a word that makes an order a refusal. The Spanish `no` counts only before a verb, because it is an English word, too. */
const negation =
  /(?<![\p{L}\p{N}-])(?:nicht|nich|kein(?:e[nmrs]?)?|keinesfalls|nie|niemals|pas|jamais|nunca|jam[áa]s|no(?=\s+(?:(?:lo|la|los|las|le|les|me|te|se)\s+)?(?:par(?:es?|en|ar)|det(?:en|ien)\p{L}*|apag\p{L}+|reini\p{L}+|inici\p{L}+|arran[cq]\p{L}+|enc(?:iend|end)\p{L}+|desp(?:iert|ert)\p{L}+|m(?:ue|o)v(?:as|a|er|an|e)|migr(?:es?|ar|en)|elimin(?:es?|ar|en|a)|borr(?:es?|ar|en|a)|destruy\p{L}+|destruir|clon(?:es?|ar|en)|respald\p{L}+|hag\p{L}+|hacer|toques?|toc\p{L}+|cre(?:es|ar|en)|cambi(?:es?|ar|en|a)|modifi\p{L}+|actuali\p{L}+|instal(?:es|ar|en)|des|dar|pon(?:gas?|er)|deshag\p{L}+|quiero|debes?)(?![\p{L}\p{N}])))(?![\p{L}\p{N}-])/iu
const everyNegation = new RegExp(
  `${negation.source}|(?<![\\p{L}\\p{N}-])ne(?=\\s)|(?<![\\p{L}\\p{N}])n['’](?=\\p{L})`,
  'giu',
)
/** Matches a part that only says which object is left out: `aber nicht pihole`. */
const leavesOut = new RegExp(
  `^(?:(?:aber|doch|jedoch|mais|pero|sino)\\s+)?(?:(?:auf|en|in)\\s+)?(?:${negation.source})`,
  'iu',
)
const subordinate = /\s(?:weil|denn|falls|wenn|damit|sodass|parce|puisque|car|porque|pues|si)\s/iu

/** Translates one part of a sentence. A refusal becomes `do not …`, and a question never becomes an order. @returns undefined if no phrase fits */
function translated(part: string): string | undefined {
  const bare = withoutCourtesy(part)
  const [main = ''] = bare.split(subordinate)
  const isNegated = negation.test(main)
  if (asksSomething.test(bare) || /^(?:wenn|falls|si|cuando)\s/iu.test(bare)) {
    const read = byPhrase(bare)
    return read !== undefined && ordersChange.test(read) ? undefined : read
  }
  if (!isNegated) return byPhrase(bare)
  const positive = withoutCourtesy(bare.replace(everyNegation, ' ').replace(/\s{2,}/g, ' '))
  const said = byPhrase(positive) ?? positive
  if (ordersChange.test(said)) return `do not ${said}`
  return leavesOut.test(bare) || /(?<![\p{L}\p{N}-])no\s/iu.test(main) ? `do not ${positive}` : undefined
}

const withoutCourtesy = (part: string): string =>
  part
    .replace(/^[¿¡\s]+/, '')
    .replace(polite, '')
    .replace(politeEnd, '')
    .trim()

/** Puts the captured words into an English sentence. Words that lead to a part that was not said are left out: `of $1`, `for $2 hours`. */
const filledIn = (english: string, found: RegExpExecArray): string =>
  english
    .replace(/ (?:of|for) \$(\d)(?: hours)?(?= |$)/g, (part, at: string) =>
      found[Number(at)] === undefined ? '' : part,
    )
    .replace(/\$(\d)/g, (_, at: string) => found[Number(at)] ?? '')
    .trim()

/** Translates a clause by the phrases. @returns undefined if none fits */
function byPhrase(part: string): string | undefined {
  const text = withoutCourtesy(part)
  for (const [pattern, english] of all) {
    const found = pattern.exec(text)
    if (found !== null) return filledIn(english, found)
  }
  for (const [pattern, verb] of otherVerbs) {
    const found = pattern.exec(text)
    if (found !== null)
      return `${verb} ${
        found
          .slice(1)
          .find((words) => words !== undefined)
          ?.trim() ?? ''
      }`.trim()
  }
  return undefined
}

const separators = /([.;!?]+(?:\s+|$)|,\s*|\s+(?:und|et|y|dann|puis|luego|and|then)\s+)/iu

const byWords = (text: string): string =>
  words
    .reduce((done, [pattern, english]) => done.replace(pattern, english), text)
    .replace(/\s{2,}/g, ' ')
    .trim()

/** Units of another language: `give 104 4` gets back what the pattern took. */
const amount = /(\d+) ?(kerne?|c(?:œ|oe)urs?|núcleos?|cpus?|go|gi?b|mo|mi?b)(?![\p{L}])/iu
const unitOf = (unit: string) => (/^g/i.test(unit) ? 'GB' : /^m/i.test(unit) ? 'MB' : 'cores')

/**
 * Puts a German, French or Spanish sentence into the English that the demo understands; other texts stay as they are. Quoted parts are not
 * translated, nor are names.
 * @param isName returns true for the name of a guest or node
 */
export function inEnglish(text: string, isName: (word: string) => boolean): string {
  const [, kept] =
    /^\W*(?:merke? dir|retiens|souviens-toi|recuerda)[,:]?\s+(?:dass\s+|que\s+)?(\S[\s\S]*)$/iu.exec(text) ?? []
  if (kept !== undefined) return `remember that ${kept}`
  if (text.length > 300 || /["“`]/.test(text)) return text
  if (mixedOrder.test(text) && mixedNegation.test(text)) return `do not ${text}`
  if (english.test(text)) return text
  const hidden: string[] = []
  const safe = text.replace(/[\p{L}\p{N}][\p{L}\p{N}._-]*/gu, (word) =>
    isName(word) ? `§${hidden.push(word) - 1}§` : word,
  )
  const timed = words.slice(0, 6).reduce((done, [pattern, english]) => done.replace(pattern, english), safe)
  const parts = timed.split(separators)
  const told = parts.map((part, at) => (at % 2 === 1 || part === '' ? undefined : byTimed(part)))
  if (told.every((part) => part === undefined) && !foreign.test(safe)) return text
  const unit = amount.exec(safe)
  const joined = parts
    .map((part, at) =>
      at % 2 === 1
        ? part.replace(/\b(?:und|et|y)\b/i, 'and').replace(/\b(?:dann|puis|luego)\b/i, 'then')
        : byWords(told[at] ?? part),
    )
    .join('')
  const measured = unit === null ? joined : joined.replace(/^(give \S+) (\d+)$/, `$1 $2 ${unitOf(unit[2] ?? '')}`)
  return measured
    .replace(/§(\d+)§/g, (_, at: string) => hidden[Number(at)] ?? '')
    .replace(/[¿¡]/g, '')
    .trim()
}

const time = /\s*(?:every (?:night|day|week|hour)|tomorrow)(?: at \d{1,2}(?::\d\d)?)?|\s*at \d{1,2}(?::\d\d)?/i

/** Translates a part without its time, which is English already, and puts the time at its end. */
function byTimed(part: string): string | undefined {
  const when = time.exec(part)?.[0] ?? ''
  const told = translated(when === '' ? part : part.replace(when, ''))
  return told === undefined ? undefined : `${told} ${when.trim()}`.trim()
}
