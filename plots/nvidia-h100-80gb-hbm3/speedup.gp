# Speedups with their data. Draw it again: gnuplot speedup.gp
if (!exists("svg")) svg = "speedup.svg"
if (!exists("png")) png = "speedup.png"
set encoding utf8
# middle, left, right, bottom, top, size
$bars << EOD
-0.3150 -0.4116 -0.2184 0 0.97842 0
-0.1050 -0.2016 -0.0084 0 1.0161 1
0.1050 0.0084 0.2016 0 0.99445 2
0.3150 0.2184 0.4116 0 0.99094 3
0.6850 0.5884 0.7816 0 0.96607 0
0.8950 0.7984 0.9916 0 1.0083 1
1.1050 1.0084 1.2016 0 0.9936 2
1.3150 1.2184 1.4116 0 0.99254 3
1.6850 1.5884 1.7816 0 3.1296 0
1.8950 1.7984 1.9916 0 2.2525 1
2.1050 2.0084 2.2016 0 1.6722 2
2.6850 2.5884 2.7816 0 1.0023 0
2.8950 2.7984 2.9916 0 0.99403 1
3.1050 3.0084 3.2016 0 0.99408 2
3.3150 3.2184 3.4116 0 1.0012 3
3.6850 3.5884 3.7816 0 0.99607 0
3.8950 3.7984 3.9916 0 1.0028 1
4.1050 4.0084 4.2016 0 1.0354 2
4.3150 4.2184 4.4116 0 1.036 3
4.6850 4.5884 4.7816 0 0.97421 0
4.8950 4.7984 4.9916 0 1.0297 1
5.1050 5.0084 5.2016 0 0.98594 2
5.3150 5.2184 5.4116 0 0.99549 3
5.6850 5.5884 5.7816 0 1.03 0
5.8950 5.7984 5.9916 0 1.0484 1
6.1050 6.0084 6.2016 0 1.0252 2
6.3150 6.2184 6.4116 0 0.98805 3
6.6850 6.5884 6.7816 0 1.7902 0
6.8950 6.7984 6.9916 0 1.5507 1
7.1050 7.0084 7.2016 0 2.2596 2
7.3150 7.2184 7.4116 0 2.3706 3
7.6850 7.5884 7.7816 0 1.067 0
7.8950 7.7984 7.9916 0 0.90231 1
8.1050 8.0084 8.2016 0 0.93492 2
8.3150 8.2184 8.4116 0 0.88937 3
8.6850 8.5884 8.7816 0 1.1396 0
8.8950 8.7984 8.9916 0 1.0572 1
9.1050 9.0084 9.2016 0 0.99716 2
9.3150 9.2184 9.4116 0 0.99618 3
9.6850 9.5884 9.7816 0 1.1245 0
9.8950 9.7984 9.9916 0 1.0544 1
10.1050 10.0084 10.2016 0 0.99245 2
10.3150 10.2184 10.4116 0 0.99991 3
10.6850 10.5884 10.7816 0 2.4113 0
11.1050 11.0084 11.2016 0 2.1224 2
11.6850 11.5884 11.7816 0 1.5437 0
11.8950 11.7984 11.9916 0 1.3936 1
12.1050 12.0084 12.2016 0 1.0926 2
12.3150 12.2184 12.4116 0 1.029 3
12.6850 12.5884 12.7816 0 2.5337 0
12.8950 12.7984 12.9916 0 4.4775 1
13.1050 13.0084 13.2016 0 6.3346 2
13.6850 13.5884 13.7816 0 1.1 0
13.8950 13.7984 13.9916 0 0.98955 1
14.1050 14.0084 14.2016 0 0.9341 2
14.3150 14.2184 14.4116 0 0.93658 3
14.6850 14.5884 14.7816 0 1.1071 0
14.8950 14.7984 14.9916 0 0.99951 1
15.1050 15.0084 15.2016 0 1.0333 2
15.3150 15.2184 15.4116 0 0.96781 3
15.6850 15.5884 15.7816 0 1.0943 0
15.8950 15.7984 15.9916 0 0.99905 1
16.1050 16.0084 16.2016 0 1.0456 2
16.3150 16.2184 16.4116 0 0.96928 3
16.6850 16.5884 16.7816 0 1.0135 0
16.8950 16.7984 16.9916 0 1.004 1
17.1050 17.0084 17.2016 0 1.0472 2
17.3150 17.2184 17.4116 0 1.0026 3
17.6850 17.5884 17.7816 0 0.98433 0
17.8950 17.7984 17.9916 0 1.0089 1
18.1050 18.0084 18.2016 0 1.0191 2
18.3150 18.2184 18.4116 0 1.0018 3
18.6850 18.5884 18.7816 0 0.99945 0
18.8950 18.7984 18.9916 0 1.0355 1
19.1050 19.0084 19.2016 0 1.0107 2
19.3150 19.2184 19.4116 0 0.9982 3
19.6850 19.5884 19.7816 0 1.1575 0
19.8950 19.7984 19.9916 0 1.0749 1
20.1050 20.0084 20.2016 0 1.3942 2
20.6850 20.5884 20.7816 0 0.97443 0
20.8950 20.7984 20.9916 0 1.0135 1
21.1050 21.0084 21.2016 0 0.99721 2
21.3150 21.2184 21.4116 0 1.0036 3
21.6850 21.5884 21.7816 0 1.0163 0
21.8950 21.7984 21.9916 0 0.97153 1
22.1050 22.0084 22.2016 0 1.0029 2
22.3150 22.2184 22.4116 0 0.99135 3
22.6850 22.5884 22.7816 0 0.97389 0
22.8950 22.7984 22.9916 0 1.3633 1
23.1050 23.0084 23.2016 0 1.0263 2
23.3150 23.2184 23.4116 0 1.016 3
EOD
set lmargin at screen 0.04802
set rmargin at screen 0.90678
set tmargin at screen 0.84
set bmargin at screen 0.31
set xrange [-0.60:23.60]
set yrange [0:7.602]
set format y "%gx"
set ylabel "Speedup over the best peer (ratio of times)" textcolor rgb "#202020"
set border 3 linecolor rgb "#404040"
set xtics nomirror scale 0 noenhanced rotate by 50 right ('add f32' 0, 'add bf16' 1, 'conv2d bf16' 2, 'gelu f32' 3, 'gelu bf16' 4, 'layernorm f32' 5, 'layernorm bf16' 6, 'matmul f32' 7, 'matmul tf32 (tf32)' 8, 'matmul f16' 9, 'matmul bf16' 10, 'matmul_bias_act f32' 11, 'matmul_bias_act bf16' 12, 'mha f32' 13, 'mha bf16' 14, 'reduce_sum f32' 15, 'reduce_sum bf16' 16, 'rmsnorm f32' 17, 'rmsnorm bf16' 18, 'softmax f32' 19, 'softmax f16' 20, 'softmax bf16' 21, 'transpose f32' 22, 'transpose bf16' 23) textcolor rgb "#202020"
set ytics nomirror textcolor rgb "#202020"
set grid ytics linetype 1 linecolor rgb "#E4E4E4"
set style fill solid 1.0 noborder
set label 1000 'Speedup of the best kernels: NVIDIA H100 80GB HBM3, 2026-11-28' at screen 0.04802, 0.955 left noenhanced textcolor rgb "#101010" font ",16"
set label 1001 '' at screen 0.04802, 0.895 left noenhanced textcolor rgb "#A3123F" font ",12"
set label 1002 'Fastest peer at each size / kernel, cold figures; above 1 the kernel is faster.' at screen 0.04802, 0.025 left noenhanced textcolor rgb "#505050" font ",10"
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead linecolor rgb "#A3123F" linewidth 1.6 dashtype 2 front
set label '0.98' at -0.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.02' at -0.1050, 1.0161 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 0.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 0.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.97' at 0.6850, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.01' at 0.8950, 1.0083 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 1.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 1.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '3.13' at 1.6850, 3.1296 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '2.25' at 1.8950, 2.2525 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.67' at 2.1050, 1.6722 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.00' at 2.6850, 1.0023 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 2.8950, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 3.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.00' at 3.3150, 1.0012 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.996' at 3.6850, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.00' at 3.8950, 1.0028 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.04' at 4.1050, 1.0354 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.04' at 4.3150, 1.036 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.97' at 4.6850, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.03' at 4.8950, 1.0297 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 5.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.995' at 5.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.03' at 5.6850, 1.03 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.05' at 5.8950, 1.0484 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.03' at 6.1050, 1.0252 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 6.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.79' at 6.6850, 1.7902 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.55' at 6.8950, 1.5507 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '2.26' at 7.1050, 2.2596 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '2.37' at 7.3150, 2.3706 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.07' at 7.6850, 1.067 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.90' at 7.8950, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.93' at 8.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.89' at 8.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.14' at 8.6850, 1.1396 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.06' at 8.8950, 1.0572 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.997' at 9.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.996' at 9.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.12' at 9.6850, 1.1245 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.05' at 9.8950, 1.0544 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 10.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.999' at 10.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '2.41' at 10.6850, 2.4113 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '2.12' at 11.1050, 2.1224 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.54' at 11.6850, 1.5437 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.39' at 11.8950, 1.3936 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.09' at 12.1050, 1.0926 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.03' at 12.3150, 1.029 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '2.53' at 12.6850, 2.5337 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '4.48' at 12.8950, 4.4775 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '6.33' at 13.1050, 6.3346 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.10' at 13.6850, 1.1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 13.8950, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.93' at 14.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.94' at 14.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.11' at 14.6850, 1.1071 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.999' at 14.8950, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.03' at 15.1050, 1.0333 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.97' at 15.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.09' at 15.6850, 1.0943 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.999' at 15.8950, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.05' at 16.1050, 1.0456 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.97' at 16.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.01' at 16.6850, 1.0135 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.00' at 16.8950, 1.004 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.05' at 17.1050, 1.0472 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.00' at 17.3150, 1.0026 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.98' at 17.6850, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.01' at 17.8950, 1.0089 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.02' at 18.1050, 1.0191 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.00' at 18.3150, 1.0018 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.999' at 18.6850, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.04' at 18.8950, 1.0355 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.01' at 19.1050, 1.0107 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.998' at 19.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.16' at 19.6850, 1.1575 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.07' at 19.8950, 1.0749 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.39' at 20.1050, 1.3942 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.97' at 20.6850, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.01' at 20.8950, 1.0135 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.997' at 21.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.00' at 21.3150, 1.0036 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.02' at 21.6850, 1.0163 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.97' at 21.8950, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.00' at 22.1050, 1.0029 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 22.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.97' at 22.6850, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.36' at 22.8950, 1.3633 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.03' at 23.1050, 1.0263 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.02' at 23.3150, 1.016 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set key at screen 0.91525, 0.84 left top Left reverse noenhanced textcolor rgb "#202020" samplen 1.5 spacing 1.2 font ",11"
set terminal svg size 1770,600 font "DejaVu Sans,12" background rgb "white"
set output svg
plot NaN notitle, \
  $bars using ($6==0?$1:NaN):5:2:3:4:5 with boxxyerror linecolor rgb "#BFD7EA" notitle, \
  NaN with boxes linecolor rgb "#BFD7EA" title 'small', \
  $bars using ($6==1?$1:NaN):5:2:3:4:5 with boxxyerror linecolor rgb "#7FB0D5" notitle, \
  NaN with boxes linecolor rgb "#7FB0D5" title 'medium', \
  $bars using ($6==2?$1:NaN):5:2:3:4:5 with boxxyerror linecolor rgb "#3F7FB5" notitle, \
  NaN with boxes linecolor rgb "#3F7FB5" title 'large', \
  $bars using ($6==3?$1:NaN):5:2:3:4:5 with boxxyerror linecolor rgb "#0B3C6F" notitle, \
  NaN with boxes linecolor rgb "#0B3C6F" title 'xlarge', \
  NaN with lines linecolor rgb "#A3123F" linewidth 1.6 dashtype 2 title 'best peer' 
set terminal pngcairo size 1770,600 font "DejaVu Sans,12" background rgb "white"
set output png
replot
set output
