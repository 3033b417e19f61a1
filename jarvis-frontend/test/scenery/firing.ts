import { type AlertDetail, type ClusterState, usualLimits } from 'protocol'
import { storageSeries } from 'protocol/facts'

/** The alerts of a scene that names none: hot nodes and full storages, as the checks would find them. */
export function firingIn({ nodes, storages, at }: ClusterState): AlertDetail[] {
  const alert = (check: string, object: AlertDetail['object'], more: Pick<AlertDetail, 'sentence' | 'chart'>) => ({
    id: `${check}-${object.id.replaceAll('/', '-')}`,
    check,
    object,
    title: check,
    severity: 'look' as const,
    state: 'firing' as const,
    since: at,
    firedAt: at,
    told: [],
    evidence: { read: check, at, values: [], before: { count: 0 } },
    changes: [],
    also: [],
    hidden: [],
    runbooks: [],
    missing: [],
    ...more,
  })
  const { temperatureC, storageRatio } = usualLimits
  return [
    ...nodes.flatMap(({ name, temperatureC: celsius }) =>
      typeof celsius === 'number' && celsius >= temperatureC[0]
        ? [
            alert(
              'node-heat',
              { id: `node/${name}`, name, node: name },
              {
                sentence: `${name} is at ${Math.round(celsius)} °C.`,
                chart: { series: `node/${name}`, field: 'temperatureC', limit: temperatureC[0] },
              },
            ),
          ]
        : [],
    ),
    ...storages.flatMap((storage) => {
      const { name, node, usedBytes = 0, totalBytes } = storage
      const share = (usedBytes ?? 0) / (totalBytes ?? Number.POSITIVE_INFINITY)
      if (share < storageRatio[0]) return []
      const id = storageSeries(storage)
      const chart = { series: id, field: 'usedRatio', limit: storageRatio[0] }
      const sentence = `Storage ${name} is ${Math.round(share * 100)} % full.`
      return [alert('storage-full', { id, name, node }, { sentence, chart })]
    }),
  ]
}
