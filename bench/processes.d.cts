/** Types of `processes.cjs`, which plain Node loads as well. */
export interface Process {
  name: string;
  parent: number;
  group: number;
  /** CPU with all its threads so far, in ms. */
  cpu_ms: number;
  /** Memory that it holds, in bytes. */
  resident: number;
}
export function processOf(pid: number): Process | undefined;
export function processes(): Process[];
