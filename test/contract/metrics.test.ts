import { METRIC, metricRecorder, type Recorder } from '../../src/contract';
import { METHOD_NAMES } from '../../src/gateway/pure/names';

/** A recorder of two apps, and the series that it makes. */
function recorder() {
  const series = new Map<string, number>();
  const record: Recorder = metricRecorder(
    ({ name }) =>
      (value, labels) => {
        const one = `${name}${JSON.stringify(labels)}`;
        series.set(one, (series.get(one) ?? 0) + value);
      },
    ['shop-1', 'shop-2'],
  );
  return { record, series };
}

describe('the labels of metrics', () => {
  test('10,000 invented apps and methods add one series', () => {
    const { record, series } = recorder();
    for (let made = 0; made < 10_000; made += 1)
      record('started', 1, { app_id: `nobody-${made}`, method: `invented-${made}` });
    expect([...series]).toEqual([[`${METRIC.started.name}{"app_id":"other","method":"other"}`, 10_000]]);
  });

  test('an app of the settings and a method of the interface keep their names', () => {
    const { record, series } = recorder();
    for (const method of [...METHOD_NAMES, 'none']) record('started', 1, { app_id: 'shop-2', method });
    expect(series.size).toBe(METHOD_NAMES.length + 1);
    expect([...series.keys()].join()).not.toContain('other');
  });

  test('an invented app whose name is one of an object’s own properties is other', () => {
    const { record, series } = recorder();
    for (const app_id of ['__proto__', 'constructor', ''])
      record('ended', 1, { app_id, method: 'toString', outcome: 'EXPIRED' });
    expect([...series.keys()]).toEqual([`${METRIC.ended.name}{"app_id":"other","method":"other","outcome":"EXPIRED"}`]);
  });
});
