/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* TCP's options by their numbers. */
#ifndef SLUICE_OPTION_H
#define SLUICE_OPTION_H

#define TCP_HEADER_BYTES 20 /* without options */
#define MAX_OPTION_BYTES 40
/* RFC 9293, 3.1 */
#define OPTION_END 0
#define OPTION_NOP 1
#define OPTION_SEGMENT 2
#define OPTION_SEGMENT_BYTES 4
/* RFC 7323, 2 */
#define OPTION_SCALE 3
#define OPTION_SCALE_BYTES 3
#define MAX_SCALE 14
/* RFC 7323, 3: kind, length, the sender's clock, the echo of the peer's */
#define OPTION_TIMESTAMP 8
#define OPTION_TIMESTAMP_BYTES 10
/* RFC 2018, 2 */
#define OPTION_SELECTIVE 4

#endif
