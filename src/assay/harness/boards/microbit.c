/* SPDX-License-Identifier: MIT */
/* BBC micro:bit: the nRF51's UART on the pins that lead to USB, and its timer 0. */

#include "cortex-m.h"

#define UART(offset) REGISTER(0x40002000u + (offset))
#define START_RECEIVING 0x000
#define START_SENDING 0x008
#define RECEIVED 0x108
#define SENT 0x11c
#define INTERRUPTS 0x304
#define ENABLE 0x500
#define PIN_SENDING 0x50c
#define PIN_RECEIVING 0x514
#define BYTE_RECEIVED 0x518
#define BYTE_TO_SEND 0x51c
#define SPEED 0x524
#define SPEED_115200 0x01d7e000u

#define UART_LINE 2u /* of the interrupt controller */
#define INTERRUPT_RECEIVED 4u

#define TIMER(offset) REGISTER(0x40008000u + (offset))
#define START 0x000
#define CAPTURE 0x040
#define WIDTH 0x508
#define PRESCALER 0x510
#define CAPTURED 0x540

#define PIN_TX 24u
#define PIN_RX 25u

void board_open(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    UART(PIN_SENDING) = PIN_TX;
    UART(PIN_RECEIVING) = PIN_RX;
    UART(SPEED) = SPEED_115200;
    UART(ENABLE) = 4;
    UART(START_RECEIVING) = 1;
    UART(START_SENDING) = 1;
    UART(INTERRUPTS) = INTERRUPT_RECEIVED;
    wake_by(UART_LINE);
    TIMER(WIDTH) = 3; /* 32 bits */
    TIMER(PRESCALER) = 0;
    TIMER(START) = 1;
}

int board_read(void)
{
    while (!UART(RECEIVED))
        sleep();
    awake(UART_LINE);
    UART(RECEIVED) = 0; /* before the byte is taken: the next one then sets it again */
    return (int)(UART(BYTE_RECEIVED) & 0xff);
}

void board_write(uint8_t byte)
{
    UART(SENT) = 0;
    UART(BYTE_TO_SEND) = byte;
    while (!UART(SENT))
        ;
}

uint32_t board_ticks(void)
{
    TIMER(CAPTURE) = 1;
    return TIMER(CAPTURED);
}
