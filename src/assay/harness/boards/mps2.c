/* SPDX-License-Identifier: MIT */
/* Arm MPS2, AN385 and AN386: the APB UART 0 and timer 0 of the Cortex-M System Design Kit. */

#include "cortex-m.h"

#define UART_DATA REGISTER(0x40004000)
#define UART_STATE REGISTER(0x40004004)
#define UART_CONTROL REGISTER(0x40004008)
#define UART_INTERRUPT REGISTER(0x4000400c)
#define UART_DIVISOR REGISTER(0x40004010)
#define TIMER_CONTROL REGISTER(0x40000000)
#define TIMER_VALUE REGISTER(0x40000004)
#define TIMER_RELOAD REGISTER(0x40000008)

#define BAUD 115200u
#define SENDING_FULL 1u
#define RECEIVED 2u
#define UART_LINE 0u /* of the interrupt controller: a byte has arrived */

void board_open(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    UART_DIVISOR = BOARD_HZ / BAUD;
    UART_CONTROL = 0xb; /* both ways, and an interrupt for each byte that arrives */
    (void)UART_DATA;    /* whatever came before; QEMU only now begins to send */
    wake_by(UART_LINE);
    TIMER_RELOAD = 0xffffffff;
    TIMER_VALUE = 0xffffffff;
    TIMER_CONTROL = 1;
}

int board_read(void)
{
    while (!(UART_STATE & RECEIVED))
        sleep();
    UART_INTERRUPT = RECEIVED; /* clears it */
    awake(UART_LINE);
    return (int)(UART_DATA & 0xff);
}

void board_write(uint8_t byte)
{
    while (UART_STATE & SENDING_FULL)
        ;
    UART_DATA = byte;
}

uint32_t board_ticks(void) { return ~TIMER_VALUE; } /* it counts down */
