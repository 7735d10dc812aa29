/** A chart on a canvas, which says in words what it shows and has its numbers as a table next to it. */
import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
  type ChartConfiguration,
} from 'chart.js';
import { EdgeLine, ForceDirectedGraphController } from 'chartjs-chart-graph';
import { TreemapController, TreemapElement } from 'chartjs-chart-treemap';
import { useEffect, useRef, type ReactElement } from 'react';
import { Table, type TableRow } from './parts';
import { useTheme, type Theme } from './theme';

Chart.register(
  ...[BarController, BarElement, CategoryScale, LinearScale, LineController, LineElement, PointElement],
  ...[Legend, Tooltip, TreemapController, TreemapElement, ForceDirectedGraphController, EdgeLine],
);

export type Drawn = (theme: Theme) => ChartConfiguration;

export interface FigureProps {
  /** What the chart shows, in one sentence with its numbers. */
  readonly label: string;
  /** Drawn anew where this is another function. */
  readonly draw: Drawn;
  readonly heads: readonly string[];
  readonly rows: readonly TableRow[];
  readonly height?: 'low' | 'high';
}

export function Figure({ label, draw, heads, rows, height = 'low' }: FigureProps): ReactElement {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useTheme();
  useEffect(() => {
    if (canvas.current === null) {
      return undefined;
    }
    Chart.defaults.color = theme.text;
    Chart.defaults.borderColor = theme.line;
    Chart.defaults.font.family = theme.font;
    const { options, ...config } = draw(theme);
    const chart = new Chart(canvas.current, {
      ...config,
      options: { animation: false, maintainAspectRatio: false, ...options },
    });
    return () => {
      chart.destroy();
    };
  }, [draw, theme]);
  return (
    <figure>
      <div className={`canvas ${height}`}>
        <canvas ref={canvas} role="img" aria-label={label} />
      </div>
      <figcaption>{label}</figcaption>
      <details>
        <summary>Show as a table</summary>
        <Table label={label} heads={heads} rows={rows} />
      </details>
    </figure>
  );
}

/** Stacked bars. */
export function stacked(
  labels: readonly string[],
  parts: readonly { readonly label: string; readonly values: readonly number[]; readonly color: string }[],
  unit: string,
): ChartConfiguration {
  return {
    type: 'bar',
    data: {
      labels: [...labels],
      datasets: parts.map(({ label, values, color }) => ({
        label,
        data: [...values],
        backgroundColor: color,
        maxBarThickness: 48,
      })),
    },
    options: {
      scales: {
        x: { stacked: true, grid: { display: false }, ticks: { maxTicksLimit: 8, maxRotation: 0 } },
        y: { stacked: true, beginAtZero: true, ticks: { precision: 0 }, title: { display: true, text: unit } },
      },
    },
  };
}
